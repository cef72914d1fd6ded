// Compression of the texts in the store: zstd, level 3, with a dictionary of what they have in
// common (dictionary.h). The only wrapper of zstd.h.
//
// Thread-safety: any thread.
// Errors: Decompress: kCorrupt; Compress: none.
#pragma once

#include <string>
#include <string_view>

#include "api/base/result.h"

namespace ballast::store {

std::string Compress(std::string_view text);

// kCorrupt: it is damaged, or the text would be longer than 64 MiB.
Result<std::string> Decompress(std::string_view data);

}  // namespace ballast::store
