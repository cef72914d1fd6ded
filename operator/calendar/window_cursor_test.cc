// Compares windows with what a clock on the wall shows minute by minute, by the system's own
// conversion (localtime_r), which shares nothing with cctz but the database.
#include "operator/calendar/window_cursor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/cron.h"
#include "api/autoscaling/recurrence.h"
#include "api/base/time.h"
#include "operator/calendar/time_zone.h"
#include "operator/calendar/wall_windows.h"
#include "tests/support/wall_clock.h"

namespace ballast::calendar {
namespace {

using support::WallClock;

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

constexpr api::WeekdaySet kWorkdays = 0b0111110;
constexpr api::WeekdaySet kSunday = 0b0000001;

std::int64_t DaysUntil(int year) {
  return std::chrono::sys_days(std::chrono::year(year) / 1 / 1).time_since_epoch().count();
}

std::int64_t SecondsUntil(int year) { return DaysUntil(year) * kDay; }

WallWindows Daily(int from, int to, api::WeekdaySet days = api::kEveryDay) {
  return WallWindows({.times = api::DailyTimes{days, static_cast<std::int16_t>(from),
                                               static_cast<std::int16_t>(to)},
                      .except = {},
                      .only = {}});
}

WallWindows AtEach(const char* cron, std::int64_t minutes) {
  return WallWindows(
      {.times = api::CronTimes{*api::ParseCron(cron), Duration::Seconds(minutes * kMinute)},
       .except = {},
       .only = {}});
}

std::vector<api::CivilDate> EachNth(std::int64_t n) {
  std::vector<api::CivilDate> dates;
  for (std::int64_t days = DaysUntil(2005); days < DaysUntil(2030); ++days) {
    if (days % n == 0) {
      const std::chrono::year_month_day day{std::chrono::sys_days(std::chrono::days(days))};
      dates.push_back({static_cast<std::int16_t>(int{day.year()}),
                       static_cast<std::int8_t>(unsigned{day.month()}),
                       static_cast<std::int8_t>(unsigned{day.day()})});
    }
  }
  return dates;
}

// What a clock on the wall shows.
struct Shown {
  int weekday;
  unsigned day;       // of the month
  std::int64_t days;  // since 1970
  int minute;         // of the day
  bool Between(int from, int to) const { return minute >= from && minute < to; }
};

constexpr int At(int hour, int minute) { return hour * 60 + minute; }

// Windows, and whether what a clock shows is within them, written down once more.
struct Case {
  const char* about;
  WallWindows wall_windows;
  std::function<bool(const Shown&)> runs;
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> kCases = {
      {"02:15 to 02:45", Daily(At(2, 15), At(2, 45)),
       [](const Shown& s) { return s.Between(At(2, 15), At(2, 45)); }},
      {"01:30 to 02:30", Daily(At(1, 30), At(2, 30)),
       [](const Shown& s) { return s.Between(At(1, 30), At(2, 30)); }},
      {"the hour after midnight", Daily(0, At(1, 0)),
       [](const Shown& s) { return s.Between(0, At(1, 0)); }},
      {"around midnight", Daily(At(23, 59), 1),
       [](const Shown& s) { return s.minute == At(23, 59) || s.minute == 0; }},
      {"nights", Daily(At(22, 0), At(6, 0)),
       [](const Shown& s) { return !s.Between(At(6, 0), At(22, 0)); }},
      {"office hours", Daily(At(8, 0), At(18, 0), kWorkdays),
       [](const Shown& s) {
         return s.weekday >= 1 && s.weekday <= 5 && s.Between(At(8, 0), At(18, 0));
       }},
      {"Sundays", Daily(0, At(24, 0), kSunday), [](const Shown& s) { return s.weekday == 0; }},
      {"always", Daily(At(4, 30), At(4, 30)), [](const Shown&) { return true; }},
      {"*/30 * * * * for 10 minutes", AtEach("*/30 * * * *", 10),
       [](const Shown& s) { return s.minute % 30 < 10; }},
      {"15 0-3 * * * for a minute", AtEach("15 0-3 * * *", 1),
       [](const Shown& s) { return s.minute < At(4, 0) && s.minute % 60 == 15; }},
      {"0 2 * * 0 for 26 hours", AtEach("0 2 * * 0", At(26, 0)),
       [](const Shown& s) {
         return (s.weekday == 0 && s.minute >= At(2, 0)) || (s.weekday == 1 && s.minute < At(4, 0));
       }},
      {"30 1 1,15 * SUN for 90 minutes", AtEach("30 1 1,15 * SUN", 90),
       [](const Shown& s) {
         return (s.weekday == 0 || s.day == 1 || s.day == 15) && s.Between(At(1, 30), At(3, 0));
       }},
      {"nights that begin on each third date, but no fifth",
       WallWindows({.times = api::DailyTimes{api::kEveryDay, At(22, 0), At(6, 0)},
                    .except = EachNth(5),
                    .only = EachNth(3)}),
       [](const Shown& s) {
         const std::int64_t began = s.minute < At(6, 0) ? s.days - 1 : s.days;
         return !s.Between(At(6, 0), At(22, 0)) && began % 3 == 0 && began % 5 != 0;
       }},
  };
  return kCases;
}

struct Years {
  const char* zone;
  int first;
};

// Five years of each, with whatever is odd about the zone.
constexpr Years kZones[] = {
    {"Europe/Berlin", 2022},        {"Europe/London", 2022},       {"Europe/Dublin", 2022},
    {"Europe/Lisbon", 2022},        {"Europe/Moscow", 2010},       {"Europe/Istanbul", 2013},
    {"Europe/Chisinau", 2021},      {"America/New_York", 2022},    {"America/Los_Angeles", 2022},
    {"America/St_Johns", 2008},   // at 00:01
    {"America/Sao_Paulo", 2015},  // at midnight
    {"America/Santiago", 2019},     {"America/Asuncion", 2020},    {"America/Havana", 2021},
    {"America/Caracas", 2014},      {"America/Mexico_City", 2019}, {"America/Nuuk", 2021},
    {"America/Scoresbysund", 2021}, {"America/Phoenix", 2022},     {"Africa/Cairo", 2021},
    {"Africa/Casablanca", 2021},  // back for Ramadan
    {"Africa/El_Aaiun", 2017},      {"Africa/Juba", 2018},         {"Africa/Tripoli", 2011},
    {"Asia/Beirut", 2020},          {"Asia/Gaza", 2021},           {"Asia/Jerusalem", 2022},
    {"Asia/Tehran", 2019},          {"Asia/Amman", 2020},          {"Asia/Kolkata", 2022},
    {"Asia/Kathmandu", 2022},       {"Asia/Pyongyang", 2014},      {"Asia/Tokyo", 2022},
    {"Australia/Lord_Howe", 2021},  // by half an hour
    {"Australia/Sydney", 2022},     {"Pacific/Auckland", 2022},    {"Pacific/Chatham", 2022},
    {"Pacific/Apia", 2009},                                      // a day is left out
    {"Pacific/Norfolk", 2017},      {"Antarctica/Troll", 2021},  // by two hours
};

Shown Describe(std::int64_t wall_seconds) {
  const std::chrono::sys_seconds time{std::chrono::seconds(wall_seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  return {static_cast<int>(std::chrono::weekday(day).c_encoding()),
          unsigned{std::chrono::year_month_day(day).day()}, day.time_since_epoch().count(),
          static_cast<int>((time - day) / std::chrono::minutes(1))};
}

using Span = std::pair<std::int64_t, std::int64_t>;  // seconds since 1970

// Appends [start, end), as one with the last if they touch.
void Join(std::vector<Span>& spans, Span span) {
  if (!spans.empty() && spans.back().second == span.first) {
    spans.back().second = span.second;
  } else {
    spans.push_back(span);
  }
}

std::vector<std::vector<Span>> ByMinutes(const WallClock& clock, const Span& within) {
  std::vector<std::vector<Span>> runs(Cases().size());
  clock.EachMinute(within.first, within.second, [&](std::int64_t now, std::int64_t latest) {
    const Shown shown = Describe(latest);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (Cases()[i].runs(shown)) {
        Join(runs[i], {now, now + kMinute});
      }
    }
  });
  return runs;
}

std::vector<Span> ByCalendar(const WallWindows& wall_windows, const TimeZone& zone,
                             const Span& within) {
  std::vector<Span> spans;
  WindowCursor windows(wall_windows, zone, Time(within.first, 0));
  for (auto window = windows.Next(); window && window->start.unix_seconds() < within.second;
       window = windows.Next()) {
    Join(spans, {std::max(window->start.unix_seconds(), within.first),
                 std::min(window->end.unix_seconds(), within.second)});
    if (window->end.unix_seconds() >= within.second) {
      break;
    }
  }
  return spans;
}

// Whether a look at each of these moments alone finds the same.
void LookAtEach(const Case& row, const TimeZone& zone, const std::vector<Span>& runs,
                const Span& within) {
  std::vector<std::int64_t> moments;
  for (std::int64_t at = within.first; at < within.second; at += 37 * kMinute) {
    moments.push_back(at);
  }
  for (const auto& [start, end] : runs) {
    moments.insert(moments.end(), {start - 1, start, end - 1, end});
  }
  for (const std::int64_t at : moments) {
    if (at < within.first || at >= within.second) {
      continue;
    }
    const bool runs_then = std::ranges::any_of(
        runs, [at](const Span& run) { return run.first <= at && at < run.second; });
    const auto window = WindowCursor(row.wall_windows, zone, Time(at, 0)).Next();
    const bool found = window && window->start <= Time(at, 0);
    ASSERT_EQ(found, runs_then) << row.about << " at " << zone.Print(Time(at, 0));
  }
}

void Compare(const WallClock& clock, const TimeZone& zone, const Span& within) {
  const auto runs = ByMinutes(clock, within);
  for (std::size_t i = 0; i < Cases().size(); ++i) {
    const Case& row = Cases()[i];
    ASSERT_EQ(ByCalendar(row.wall_windows, zone, within), runs[i])
        << row.about << " from " << zone.Print(Time(within.first, 0));
    LookAtEach(row, zone, runs[i], within);
  }
}

// Two days around each change of the offset.
std::vector<Span> AroundChanges(const WallClock& clock, const Years& years) {
  std::vector<Span> spans;
  std::int64_t before = clock.OffsetAt(SecondsUntil(years.first));
  for (std::int64_t at = SecondsUntil(years.first); at < SecondsUntil(years.first + 5);
       at += kHour) {
    const std::int64_t offset = clock.OffsetAt(at);
    if (offset != before) {
      spans.emplace_back(at - 2 * kDay, at + 2 * kDay);
    }
    before = offset;
  }
  return spans;
}

class EachZoneTest : public testing::TestWithParam<Years> {};

TEST_P(EachZoneTest, IsWhatAClockOnTheWallShows) {
  const WallClock clock(GetParam().zone);
  const auto zone = TimeZone::Find(GetParam().zone);
  ASSERT_TRUE(zone);
  if (std::getenv("BALLAST_TEST_LONG") != nullptr) {
    for (int year = GetParam().first; year < GetParam().first + 5; ++year) {
      ASSERT_NO_FATAL_FAILURE(Compare(clock, *zone, {SecondsUntil(year), SecondsUntil(year + 1)}));
    }
    return;
  }
  std::vector<Span> spans = AroundChanges(clock, GetParam());
  spans.emplace_back(SecondsUntil(GetParam().first), SecondsUntil(GetParam().first) + 2 * kDay);
  for (const Span& span : spans) {
    ASSERT_NO_FATAL_FAILURE(Compare(clock, *zone, span));
  }
}

INSTANTIATE_TEST_SUITE_P(Zones, EachZoneTest, testing::ValuesIn(kZones),
                         [](const testing::TestParamInfo<Years>& years) {
                           std::string name = years.param.zone;
                           std::ranges::replace_if(
                               name, [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

Time On(const char* text) { return *ParseTime(text); }

TEST(WindowCursorTest, ARepeatedHourIsNoSecondWindow) {
  const WallWindows wall_windows = Daily(At(2, 15), At(2, 45));
  WindowCursor cursor(wall_windows, *TimeZone::Find("Europe/Berlin"), On("2026-10-24T12:00:00Z"));
  EXPECT_EQ(cursor.Next()->start, On("2026-10-25T00:15:00Z"));
  EXPECT_EQ(cursor.Next()->start, On("2026-10-26T01:15:00Z"));
}

TEST(WindowCursorTest, AMidnightThatDoesNotExistIsTheFirstInstantAfterIt) {
  const WallWindows wall_windows = Daily(0, At(8, 0));
  WindowCursor cursor(wall_windows, *TimeZone::Find("America/Sao_Paulo"),
                      On("2018-11-03T12:00:00Z"));
  EXPECT_EQ(Print(cursor.Next()->start), "2018-11-04T03:00:00Z");
}

TEST(WindowCursorTest, ADateIsSearchedForOnlySoLong) {
  const WallWindows leap_day = AtEach("0 0 29 2 *", 60);
  const TimeZone zone = *TimeZone::Find("UTC");
  EXPECT_FALSE(WindowCursor(leap_day, zone, On("2026-11-27T00:00:00Z")).Next());
  EXPECT_TRUE(WindowCursor(leap_day, zone, On("2027-11-27T00:00:00Z")).Next());
}

TEST(WindowCursorTest, AWindowWithoutAnEndEndsAtTheHorizon) {
  const WallWindows always = Daily(0, At(24, 0));
  const Time now = On("2026-11-27T00:00:00Z");
  const auto window = WindowCursor(always, *TimeZone::Find("UTC"), now).Next();
  ASSERT_TRUE(window);
  EXPECT_EQ(window->end - now, Duration::Seconds((kHorizon + 1) * kDay));
}

}  // namespace
}  // namespace ballast::calendar
