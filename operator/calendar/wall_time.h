// Dates and times as a clock on the wall shows them: without a zone, so that no arithmetic here
// knows of gaps or repeated hours.
#pragma once

#include <compare>
#include <cstdint>

namespace ballast::calendar {

inline constexpr std::int64_t kMinutesOfDay = 24 * 60;

// The days since 1970-01-01.
struct WallDate {
  std::int64_t days = 0;

  // 0 is Sunday, as in cron.
  constexpr int weekday() const { return static_cast<int>(((days + 4) % 7 + 7) % 7); }
  friend constexpr auto operator<=>(const WallDate&, const WallDate&) = default;
};

// Whole minutes since 1970-01-01 00:00.
struct WallTime {
  std::int64_t minutes = 0;

  constexpr WallDate date() const {
    const std::int64_t days = minutes / kMinutesOfDay;
    return {minutes % kMinutesOfDay < 0 ? days - 1 : days};
  }
  friend constexpr auto operator<=>(const WallTime&, const WallTime&) = default;
};

// `minutes` after that day's midnight.
constexpr WallTime At(WallDate date, std::int64_t minutes) {
  return {date.days * kMinutesOfDay + minutes};
}

}  // namespace ballast::calendar
