#include "tests/faults/schedule_times.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>

#include "api/base/time.h"
#include "tests/support/wall_clock.h"

namespace ballast::faults {
namespace {

constexpr Nanoseconds kHour = 60 * kMinute;
constexpr std::int64_t kMinutesOfDay = 24LL * 60;
// No window lasts longer, on whatever day.
constexpr Nanoseconds kLongest = 24 * kHour;

constexpr std::array<const char*, 7> kWeekdays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

// Days are since 1970, a Thursday.
std::int64_t WeekdayOf(std::int64_t day) { return (day + 4) % 7; }

std::chrono::year_month_day DateOf(std::int64_t day) {
  return std::chrono::sys_days(std::chrono::days(day));
}

std::int64_t DayOfMonth(std::int64_t day) { return unsigned{DateOf(day).day()}; }

// "2027-03-28"
std::string PrintDay(std::int64_t day) {
  const auto date = DateOf(day);
  char text[16];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", int{date.year()}, unsigned{date.month()},
                unsigned{date.day()});
  return text;
}

// "14:05"
std::string TimeOfDay(std::int64_t minute) {
  char text[16];
  std::snprintf(text, sizeof text, "%02d:%02d", static_cast<int>(minute / 60 % 24),
                static_cast<int>(minute % 60));
  return text;
}

std::string DatesOf(const char* member, const std::set<std::int64_t>& days) {
  std::string text;
  for (const std::int64_t day : days) {
    text += (text.empty() ? "\"" : ",\"") + PrintDay(day) + "\"";
  }
  return text.empty() ? "" : std::string(",\"") + member + "\":[" + text + "]";
}

// What the zone's clock shows at `begins` if it is as far ahead as at `set`: minutes since 1970.
std::int64_t ShownAt(const std::string& zone, Nanoseconds begins, Nanoseconds set) {
  return begins / kMinute + support::WallClock(zone.c_str()).OffsetAt(set / kSecond) / 60;
}

ScheduleTimes DailyAt(const std::string& zone, std::int64_t shown, std::int64_t minutes) {
  const std::int64_t minute = shown % kMinutesOfDay;
  return {.zone = zone,
          .text = R"("from":")" + TimeOfDay(minute) + R"(","to":")" + TimeOfDay(minute + minutes) +
                  "\"",
          .starts = {minute},
          .weekdays = {},
          .days_of_month = {},
          .minutes = minutes,
          .except = {},
          .only = {}};
}

// "Fri-Mon", which may leave out that of the first window.
void OnSomeWeekdays(Dice& dice, std::int64_t day, ScheduleTimes& times) {
  const std::int64_t first = WeekdayOf(day) + dice.Between(5, 8);
  const std::int64_t last = first + dice.Between(0, 3);
  for (std::int64_t one = first; one <= last; ++one) {
    times.weekdays.insert(one % 7);
  }
  times.text = std::string(R"("days":[")") + kWeekdays[first % 7] +
               (first == last ? "" : std::string("-") + kWeekdays[last % 7]) + "\"]," + times.text;
}

// Once a day, or several times in each of two hours, when windows may touch.
ScheduleTimes CronAt(Dice& dice, const std::string& zone, std::int64_t shown,
                     std::int64_t minutes) {
  const std::int64_t day = shown / kMinutesOfDay;
  const std::int64_t hour = shown / 60 % 24;
  const std::int64_t every = std::array{60, 60, 30, 20, 15}[dice.Below(5)];
  std::string minutes_of_hour;
  std::string hours;
  ScheduleTimes times{.zone = zone,
                      .text = {},
                      .starts = {},
                      .weekdays = {},
                      .days_of_month = {},
                      .minutes = std::min(minutes, every + 5),
                      .except = {},
                      .only = {}};
  for (std::int64_t minute = shown % every; minute < 60; minute += every) {
    minutes_of_hour += (minutes_of_hour.empty() ? "" : ",") + std::to_string(minute);
  }
  for (const std::int64_t one : {hour, (hour + 1) % 24}) {
    if (one == hour || every < 60) {
      hours += (hours.empty() ? "" : ",") + std::to_string(one);
      for (std::int64_t minute = shown % every; minute < 60; minute += every) {
        times.starts.insert(one * 60 + minute);
      }
    }
  }
  const bool has_steps = every < 60 && shown % every == 0;
  const std::uint64_t restricted = dice.Below(6);  // by which of the two fields: one, both or none
  const std::int64_t date = DayOfMonth(day + dice.Between(0, 1));
  const std::int64_t weekday = WeekdayOf(day + dice.Between(0, 1));
  if (restricted == 0 || restricted == 2) {
    times.days_of_month.insert(date);
  }
  if (restricted == 1 || restricted == 2) {
    times.weekdays.insert(weekday);
  }
  times.text = R"("cron":")" + (has_steps ? "*/" + std::to_string(every) : minutes_of_hour) + " " +
               hours + " " + (times.days_of_month.empty() ? "*" : std::to_string(date)) + " * " +
               (times.weekdays.empty() ? "*" : std::to_string(weekday)) + R"(","duration":")" +
               std::to_string(times.minutes) + "m\"";
  return times;
}

// By all but `except` and `only`.
bool MayStartOn(const ScheduleTimes& times, std::int64_t day) {
  const bool any_day = times.weekdays.empty() && times.days_of_month.empty();
  return any_day || times.weekdays.contains(WeekdayOf(day)) ||
         times.days_of_month.contains(DayOfMonth(day));
}

// `shown`: minutes since 1970.
bool StartsAt(const ScheduleTimes& times, std::int64_t shown) {
  const std::int64_t day = shown / kMinutesOfDay;
  return times.starts.contains(shown % kMinutesOfDay) && MayStartOn(times, day) &&
         !times.except.contains(day) && (times.only.empty() || times.only.contains(day));
}

// Some dates near that one. A spec with dates of `only` on which nothing starts is refused.
void DrawDates(Dice& dice, std::int64_t day, ScheduleTimes& times) {
  if (dice.OneIn(5)) {
    times.except.insert(day + dice.Between(-1, 1));
  }
  if (dice.OneIn(4)) {
    times.only = {day + dice.Between(-1, 1), day + dice.Between(0, 1)};
    std::erase_if(times.only, [&](std::int64_t one) { return !MayStartOn(times, one); });
    std::erase_if(times.except, [&](std::int64_t one) { return times.only.contains(one); });
  }
}

}  // namespace

std::string ScheduleTimes::Text() const {
  return R"("timeZone":")" + zone + "\"," + text + DatesOf("except", except) +
         DatesOf("only", only);
}

std::vector<WindowSpan> WindowsOf(const ScheduleTimes& times, Nanoseconds from, Nanoseconds until) {
  std::vector<WindowSpan> windows;
  std::optional<std::int64_t> before;  // what was shown
  std::int64_t ends = 0;
  const support::WallClock clock(times.zone.c_str());
  const auto look = [&](std::int64_t time, std::int64_t shown) {
    const std::int64_t minute = shown / 60;
    // A time that is skipped has come when the gap ends.
    for (std::int64_t one = before ? *before + 1 : minute; one <= minute; ++one) {
      ends = StartsAt(times, one) ? one + times.minutes : ends;
    }
    before = minute;
    const Nanoseconds at = time * kSecond;
    if (minute >= ends || at < from) {
      return;
    }
    if (windows.empty() || windows.back().until != at) {
      windows.push_back({at, at});
    }
    windows.back().until = at + kMinute;
  };
  clock.EachMinute((from - kLongest) / kSecond, until / kSecond, look);
  return windows;
}

ScheduleTimes Daily(const std::string& zone, Nanoseconds begins, std::int64_t minutes) {
  return DailyAt(zone, ShownAt(zone, begins, begins), minutes);
}

ScheduleTimes AnyTimes(Dice& dice, const std::string& zone, Nanoseconds begins,
                       std::int64_t minutes) {
  // After a change of the clocks also what they would have shown without.
  const Nanoseconds set = dice.OneIn(3) ? begins - kHour : begins;
  const std::int64_t shown = ShownAt(zone, begins, set);
  const std::int64_t day = shown / kMinutesOfDay;
  ScheduleTimes times;
  if (dice.OneIn(2)) {
    times = CronAt(dice, zone, shown, minutes);
  } else {
    times = DailyAt(zone, shown, minutes);
    if (dice.OneIn(2)) {
      OnSomeWeekdays(dice, day, times);
    }
  }
  DrawDates(dice, day, times);
  return times;
}

ZoneChange AnyZoneChange(Dice& dice) {
  struct Change {
    const char* zone;
    const char* at;
  };
  static constexpr std::array kChanges{
      Change{"Europe/Berlin", "2027-03-28T01:00:00Z"},        // 02:00 becomes 03:00
      Change{"Europe/Berlin", "2027-10-31T01:00:00Z"},        // 03:00 becomes 02:00
      Change{"America/Havana", "2027-03-14T05:00:00Z"},       // there is no midnight
      Change{"Atlantic/Azores", "2027-10-31T01:00:00Z"},      // there are two
      Change{"Australia/Lord_Howe", "2027-04-03T15:00:00Z"},  // by half an hour
  };
  const Change& change = kChanges[dice.Below(kChanges.size())];
  return {change.zone, ParseTime(change.at)->unix_nanoseconds()};
}

}  // namespace ballast::faults
