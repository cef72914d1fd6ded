// Text of others (answers, headers, names) made fit to be shown and kept: valid UTF-8, on one line,
// without control characters, bounded. The one place for that.
//
// Thread-safety: pure functions. They cannot fail.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ballast {

// More than any server's message that helps.
inline constexpr std::size_t kMaxForeignText = 2000;

// Line breaks and tabs become spaces; what is no character, controls a terminal or turns the
// direction of writing becomes U+FFFD. Longer text is cut between characters and ends with "...".
std::string Printable(std::string_view text, std::size_t max_bytes = kMaxForeignText);

}  // namespace ballast
