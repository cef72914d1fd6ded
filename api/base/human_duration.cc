#include "api/base/human_duration.h"

#include <cstdint>

namespace ballast {

std::string HumanDuration(Duration span) {
  const auto seconds = span.nanoseconds / 1'000'000'000;
  const auto units = [](std::int64_t large, const char* name, std::int64_t small,
                        const char* small_name) {
    std::string text = std::to_string(large) + name;
    return small == 0 ? text : text + std::to_string(small) + small_name;
  };
  if (seconds >= 86'400) {
    return units(seconds / 86'400, "d", seconds % 86'400 / 3'600, "h");
  }
  if (seconds >= 3'600) {
    return units(seconds / 3'600, "h", seconds % 3'600 / 60, "m");
  }
  if (seconds >= 60) {
    return units(seconds / 60, "m", seconds % 60, "s");
  }
  const auto tenths = span.nanoseconds / 100'000'000 % 10;
  if (seconds > 0 || tenths == 0) {
    return std::to_string(seconds) + "s";
  }
  return "0." + std::to_string(tenths) + "s";
}

std::string HumanAge(Duration age, const char* past) {
  return age < Duration() ? HumanDuration({-age.nanoseconds}) + " ahead"
                          : HumanDuration(age) + " " + past;
}

}  // namespace ballast
