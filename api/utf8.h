// Whether bytes are well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, at most
// U+10FFFF).
//
// Thread-safety: pure function. It cannot fail.
#pragma once

#include <cstddef>
#include <string_view>

namespace ballast {

// The offset of the first byte that does not belong; text.size() when all is well.
std::size_t FindInvalidUtf8(std::string_view text);

}  // namespace ballast
