// What numbers and spans a sentence of `ballast why` names.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>

#include "tests/faults/fibers.h"

namespace ballast::faults {

// The number after `words`; nullopt: the text does not have them.
inline std::optional<std::int64_t> NumberAfter(const std::string& text, const std::string& words) {
  const auto at = text.find(words);
  return at == std::string::npos
             ? std::nullopt
             : std::optional<std::int64_t>(std::atoll(text.c_str() + at + words.size()));
}

// The one before them.
inline std::optional<std::int64_t> NumberBefore(const std::string& text, const std::string& words) {
  const auto at = text.find(words);
  if (at == std::string::npos || at == 0) {
    return std::nullopt;
  }
  const auto from = text.find_last_not_of("0123456789", at - 1);
  return std::atoll(text.c_str() + (from == std::string::npos ? 0 : from + 1));
}

// "1 h 30 min", "5 min", "14 s" after `words`, in seconds.
inline std::int64_t SecondsAfter(const std::string& text, const std::string& words) {
  const auto at = text.find(words);
  std::istringstream in(at == std::string::npos ? "" : text.substr(at + words.size()));
  std::int64_t seconds = 0;
  std::int64_t number = 0;
  for (std::string unit; in >> number >> unit;) {
    seconds += number * (unit.starts_with("h") ? 3600 : unit.starts_with("min") ? 60 : 1);
  }
  return seconds;
}

// A span that may be longer, by less than `error`.
struct Rounded {
  Nanoseconds span = 0;
  Nanoseconds error = 0;
};

// "1d2h", "5m10s", "14s", "0.4s" after `words`.
inline Rounded RoughAfter(const std::string& text, const std::string& words) {
  const auto at = text.find(words);
  std::istringstream in(at == std::string::npos ? "" : text.substr(at + words.size()));
  Rounded rounded;
  double number = 0;
  for (char unit = 0; in >> number >> unit;) {
    const Nanoseconds size = unit == 'd'   ? 86'400 * kSecond
                             : unit == 'h' ? 3600 * kSecond
                             : unit == 'm' ? 60 * kSecond
                                           : kSecond;
    rounded.span += static_cast<Nanoseconds>(number * static_cast<double>(size));
    rounded.error = rounded.span >= 86'400 * kSecond ? 3600 * kSecond
                    : rounded.span >= 3600 * kSecond ? 60 * kSecond
                                                     : kSecond;
    if (unit == 's') {
      break;
    }
  }
  return rounded;
}

inline bool Has(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

}  // namespace ballast::faults
