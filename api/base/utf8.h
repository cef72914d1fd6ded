// UTF-8 text: finds and replaces malformed bytes (RFC 3629: no overlong forms, no surrogates, at
// most U+10FFFF) and shortens text without splitting a character.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ballast {

// The offset of the first byte that is not well-formed UTF-8; text.size() if there is none.
std::size_t FindInvalidUtf8(std::string_view text);

// U+FFFD, for what is no character.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The text with kReplacement for each malformed byte.
std::string ReplaceInvalidUtf8(std::string_view text);

// Cuts text longer than `size` bytes (three at least) between characters, or before the first
// malformed byte, and ends it with "...". The result has at most `size` bytes.
std::string Shorten(std::string text, std::size_t size);

}  // namespace ballast
