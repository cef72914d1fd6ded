// Makes text from outside (answers, headers, names) fit to be shown and stored: valid UTF-8 on one
// line, without control characters, bounded. The only place that does so.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ballast {

// Longer than any useful message of a server.
inline constexpr std::size_t kMaxForeignText = 2000;

// Line breaks and tabs become spaces. Malformed bytes, control characters and the characters that
// change the direction of text become U+FFFD. Text longer than `max_bytes` (three at least) is cut
// between characters and ends with "...".
std::string Printable(std::string_view text, std::size_t max_bytes = kMaxForeignText);

// The same JSON, in whose strings these characters are escaped, and line breaks that are not ASCII:
// it means the same, and no terminal obeys it. (ASCII's own are escaped in any JSON, but for one.)
std::string EscapeUnprintable(std::string json);

}  // namespace ballast
