// Compares what is refused as a contradiction with the windows of three years: each schedule of a
// few against each other.
#include "api/autoscaling/schedule_contradictions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "api/autoscaling/recurrence.h"
#include "operator/calendar/time_zone.h"
#include "operator/calendar/wall_windows.h"
#include "operator/calendar/window_cursor.h"

namespace ballast::calendar {
namespace {

constexpr std::int64_t kDay = 24LL * 3600;

const Time kFrom = *ParseTime("2026-06-01T00:00:00Z");
const Time kUntil = *ParseTime("2029-04-01T00:00:00Z");  // what begins by then ends in three years

struct ResolvedSchedule {
  api::Schedule schedule;
  std::vector<CalendarWindow> windows;  // those that touch are one
};

// With each of these dates, if windows may start on them.
std::vector<api::Schedule> Schedules(const std::string& zone) {
  const std::vector<api::Schedule> times = {
      {.from = "08:00", .to = "18:00"},
      {.days = {"Mon-Fri"}, .from = "08:00", .to = "18:00"},
      {.days = {"Fri"}, .from = "22:00", .to = "06:00"},
      {.from = "00:00", .to = "24:00"},
      {.days = {"Fri-Sun"}, .from = "00:00", .to = "24:00"},
      {.cron = "0 */6 * * *", .duration = "1h"},
      {.cron = "30 8 1,15 * *", .duration = "2h"},
      {.cron = "0 0 28-31 * *", .duration = "48h"},
      {.cron = "0 0 29 2 *", .duration = "1h"},
      {.cron = "0 9 * 12 1-5", .duration = "9h"},
      {.cron = "30 23 25 * 5", .duration = "2h"},
      {.cron = "0 0 20 12 *", .duration = "336h"},
      {.cron = "0 0 1 * *", .duration = "744h"},
  };
  const struct {
    std::vector<std::string> except;
    std::vector<std::string> only;
  } kDates[] = {{},
                {{"2026-12-25", "2027-01-01"}, {}},
                {{"2026-12-25"}, {}},
                {{}, {"2026-12-25"}},
                {{}, {"2026-12-25", "2027-01-01"}}};
  std::vector<api::Schedule> schedules;
  for (const api::Schedule& at : times) {
    for (const auto& dates : kDates) {
      api::Schedule schedule = at;
      schedule.name = "s" + std::to_string(schedules.size());
      schedule.time_zone = zone;
      schedule.except = dates.except;
      schedule.only = dates.only;
      api::FieldErrors errors;
      if (ReadRecurrence(schedule, "", errors)) {
        schedules.push_back(schedule);
      }
    }
  }
  return schedules;
}

std::vector<ResolvedSchedule> Resolve(const std::string& zone) {
  std::vector<ResolvedSchedule> resolved;
  for (const api::Schedule& schedule : Schedules(zone)) {
    api::FieldErrors errors;
    const WallWindows wall_windows(*ReadRecurrence(schedule, "", errors));
    std::vector<CalendarWindow> windows;
    // A date that does not come for kHorizon ends a search, so that each begins anew.
    for (std::int64_t day = 0; day < 3 * 366; day += 366) {
      const Time now = kFrom + Duration::Seconds(day * kDay);
      WindowCursor cursor(wall_windows, *TimeZone::Find(zone), now);
      for (auto window = cursor.Next();
           window && window->start < now + Duration::Seconds(366 * kDay); window = cursor.Next()) {
        if (windows.empty() || windows.back().end < window->start) {
          windows.push_back(*window);
        } else {
          windows.back().end = std::max(windows.back().end, window->end);
        }
      }
    }
    resolved.push_back({schedule, windows});
  }
  return resolved;
}

// As far as the windows are known.
bool LieWithin(const ResolvedSchedule& inner, const ResolvedSchedule& outer, Duration before) {
  return std::ranges::all_of(inner.windows, [&](const CalendarWindow& window) {
    const auto next = std::ranges::upper_bound(
        outer.windows, std::max(window.start - before, kFrom), {}, &CalendarWindow::start);
    return window.start >= kUntil ||
           (next != outer.windows.begin() && std::prev(next)->end >= std::min(window.end, kUntil));
  });
}

struct ZonePair {
  const char* inner;
  const char* outer;
  bool exact;  // whether all that is certain is refused; else what is refused is certain
};

void PrintTo(const ZonePair& zones, std::ostream* out) {
  *out << zones.inner << " in " << zones.outer;
}

class EachPairTest : public testing::TestWithParam<ZonePair> {};

TEST_P(EachPairTest, IsRefusedIfItNeverCounts) {
  const std::vector<ResolvedSchedule> inner = Resolve(GetParam().inner);
  const std::vector<ResolvedSchedule> outer = Resolve(GetParam().outer);
  const struct {
    const char* what;
    api::Schedule inner;
    api::Schedule outer;
    Duration before;
  } kKinds[] = {
      {"a ceiling within a floor", {.max_replicas = 3}, {.min_replicas = 5}, {}},
      {"a floor within a hold",
       {.min_replicas = 5},
       {.hold = api::kHoldAll},
       Duration::Seconds(3 * kDay)},
  };
  int refused = 0;
  for (const auto& kind : kKinds) {
    for (const ResolvedSchedule& one : inner) {
      for (const ResolvedSchedule& other : outer) {
        api::Schedule bound = one.schedule;
        bound.min_replicas = kind.inner.min_replicas;
        bound.max_replicas = kind.inner.max_replicas;
        api::Schedule above = other.schedule;
        above.min_replicas = kind.outer.min_replicas;
        above.hold = kind.outer.hold;
        api::AutoscalerSpec spec;
        spec.schedules = {bound, above};
        const bool is_refused = !FindContradictions(spec, kZoneCheck).empty();
        const bool certain = LieWithin(one, other, kind.before);
        refused += is_refused ? 1 : 0;
        EXPECT_TRUE(is_refused == certain || (certain && !GetParam().exact))
            << kind.what << ": " << one.schedule.name << " and " << other.schedule.name << " "
            << is_refused;
      }
    }
  }
  EXPECT_GT(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Zones, EachPairTest,
                         testing::Values(ZonePair{"UTC", "Etc/UTC", true},
                                         ZonePair{"America/Santiago", "America/Santiago", false},
                                         ZonePair{"Europe/Berlin", "UTC", false}));

}  // namespace
}  // namespace ballast::calendar
