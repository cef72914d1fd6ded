// Compression of the texts in the store: zstd, level 3, with a dictionary of what they have in
// common. The only place that includes zstd.h.
//
// Thread-safety: any thread.
#pragma once

#include <string>
#include <string_view>

#include "api/base/result.h"

namespace ballast::store {

std::string Compress(std::string_view text);

// kCorrupt when it is damaged, or would grow beyond 64 MiB.
Result<std::string> Decompress(std::string_view data);

}  // namespace ballast::store
