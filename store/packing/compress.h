// Compression of the texts in the store: zstd, level 3, with a dictionary of what they have in
// common (dictionary.h). The only wrapper of zstd.h.
//
// Thread-safety: any thread.
// Errors: as below.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/base/result.h"

namespace ballast::store {

// The longest text.
inline constexpr std::size_t kMaxText = 64 << 20;

// kInvalid: the text is longer than kMaxText.
Result<std::string> Compress(std::string_view text);

// kCorrupt: it is damaged, or the text would be longer than kMaxText.
Result<std::string> Decompress(std::string_view data);

}  // namespace ballast::store
