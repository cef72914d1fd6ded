// Text in UTF-8: whether bytes are well-formed (RFC 3629: no overlong forms, no surrogates, at most
// U+10FFFF), and cutting it.
//
// Thread-safety: pure functions. They cannot fail.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ballast {

// The offset of the first byte that does not belong; text.size() when all is well.
std::size_t FindInvalidUtf8(std::string_view text);

// At most `size` bytes (three at least), no character cut in two; "..." stands for what is missing.
std::string Shorten(std::string text, std::size_t size);

}  // namespace ballast
