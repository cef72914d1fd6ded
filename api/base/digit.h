// What is a digit: those of ASCII, whatever the locale.
#pragma once

#include <algorithm>
#include <string_view>

namespace ballast {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Whether the text consists of digits; an empty one does not.
constexpr bool IsAllDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, IsDigit);
}

}  // namespace ballast
