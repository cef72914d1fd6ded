// When the windows of a schedule start and end, by the wall clock of its zone. No zone is known
// here: whoever knows them (the calendar) turns a recurrence into absolute times.
//
// Errors: none returned; what is wrong is in the FieldErrors.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/autoscaling/cron.h"
#include "api/autoscaling/schedule.h"
#include "api/base/time.h"
#include "api/kubernetes/field_error.h"

namespace ballast::api {

// A day of the proleptic Gregorian calendar.
struct CivilDate {
  std::int16_t year = 1970;
  std::int8_t month = 1;  // 1..12
  std::int8_t day = 1;    // 1..31
  friend constexpr auto operator<=>(const CivilDate&, const CivilDate&) = default;
};

// 0 is Sunday.
int WeekdayOf(const CivilDate& date);
// In days since 1970-01-01, and back.
std::int64_t DayNumberOf(const CivilDate& date);
CivilDate DateOf(std::int64_t day_number);

// Of days of the week; bit 0 is Sunday.
using WeekdaySet = std::uint8_t;
inline constexpr WeekdaySet kEveryDay = 0x7f;

// From one wall time to the next occurrence of another.
struct DailyTimes {
  WeekdaySet days = kEveryDay;  // on which a window may start
  std::int16_t from = 0;        // minutes after midnight: 0..1439
  std::int16_t to = 0;          // 0..1440; not after `from`: on the next day
};

// From the wall times of a cron expression, each for so long, by the wall clock as well.
struct CronTimes {
  Cron starts;
  Duration lasts;
};

// From one wall time to another, in minutes since the midnight with which a day begins.
struct DaySpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;  // maybe on a later day
};

struct Recurrence {
  std::variant<DailyTimes, CronTimes> times;
  std::vector<CivilDate> except;  // sorted; no window starts on these
  std::vector<CivilDate> only;    // sorted; if not empty, windows start on these alone

  // Whether a window may start on that day, by all but the day's own times.
  bool MayStartOn(const CivilDate& date) const;
  // The windows that start on such a day: in order, apart from each other; what starts later ends
  // later, too. None is longer than 31 days.
  std::vector<DaySpan> Spans() const;
};

// Reads `schedule`, which is at `path` ("spec.schedules[0]"). Adds what is wrong to `errors`;
// nullopt if anything is.
std::optional<Recurrence> ReadRecurrence(const Schedule& schedule, const std::string& path,
                                         FieldErrors& errors);

// What a check of schedules asks about the names of time zones, of which nothing is known here:
// none is wrong, and each is of another zone.
struct ZoneCheck {
  // "is not known here; did you mean Europe/Berlin?"; empty: nothing is wrong.
  std::string (*wrong)(const std::string& name) = [](const std::string&) { return std::string(); };
  // Whether both are names of one zone.
  bool (*same)(const std::string& one, const std::string& other) =
      [](const std::string& one, const std::string& other) { return one == other; };
};

}  // namespace ballast::api
