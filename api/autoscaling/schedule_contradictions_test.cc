#include "api/autoscaling/schedule_contradictions.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "api/autoscaling/schedule_validation.h"
#include "api/autoscaling/testing/night_and_day.h"

namespace ballast::api {
namespace {

void ByCron(Schedule& schedule, const char* cron, const char* duration) {
  schedule.from = schedule.to = "";
  schedule.cron = cron;
  schedule.duration = duration;
}

std::string Refusals(const std::vector<Schedule>& schedules) {
  AutoscalerSpec spec;
  spec.min_replicas = 2;
  spec.max_replicas = 10;
  spec.schedules = schedules;
  EXPECT_TRUE(CheckSchedules(spec, {}).empty()) << "a policy that has them goes on";
  const ZoneCheck zones{.same = [](const std::string& one, const std::string& other) {
    return one == other || (one == "Etc/UTC" && other == "UTC") ||
           (one == "UTC" && other == "Etc/UTC");
  }};
  std::string text;
  for (const FieldError& error : FindContradictions(spec, zones)) {
    text += Print(error);
  }
  return text;
}

// A floor beats a ceiling, so that one within it never counts. Where it may, it is no error.
TEST(ScheduleContradictions, AreCertain) {
  const struct {
    std::function<void(Schedule&)> ceiling;
    std::function<void(Schedule&)> floor;
    bool refused;
  } kCases[] = {
      {[](Schedule&) {}, [](Schedule&) {}, false},
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00"; }, [](Schedule&) {}, true},
      {[](Schedule& s) { s.from = "06:00", s.to = "22:00"; }, [](Schedule&) {}, true},
      {[](Schedule& s) { s.from = "06:00", s.to = "22:01"; }, [](Schedule&) {}, false},
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00", s.max_replicas = 5; }, [](Schedule&) {},
       false},
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00"; },
       [](Schedule& s) { s.time_zone = "Asia/Tokyo"; }, false},
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00"; }, [](Schedule& s) { s.days = {"Mon"}; },
       false},
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00", s.days = {"Sat"}; },
       [](Schedule& s) { s.days = {"Sat-Sun"}; }, true},
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00", s.only = {"2026-12-25"}; },
       [](Schedule&) {}, true},
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00"; },
       [](Schedule& s) { s.except = {"2026-12-25"}; }, false},
      // From Saturday to Sunday at 06:00, which begins the week.
      {[](Schedule& s) { s.days = {"Sat"}; },
       [](Schedule& s) { s.from = "00:00", s.to = "24:00", s.days = {"Sat-Sun"}; }, true},
      {[](Schedule& s) { s.days = {"Sat"}; },
       [](Schedule& s) { s.from = "00:00", s.to = "24:00", s.days = {"Sat"}; }, false},
      // By cron: each week on the same days.
      {[](Schedule& s) { ByCron(s, "0 8 * * 1-5", "10h"); },
       [](Schedule& s) { ByCron(s, "30 7 * * *", "10h30m"); }, true},
      {[](Schedule& s) { ByCron(s, "0 8 * * 1-5", "10h"); },
       [](Schedule& s) { ByCron(s, "30 7 * * *", "10h29m"); }, false},
      {[](Schedule& s) { ByCron(s, "0 8 * * 1-5", "10h"); },
       [](Schedule& s) { ByCron(s, "30 7 * * 1-4", "12h"); }, false},
      {[](Schedule& s) { ByCron(s, "0 8 * * *", "10h"); },
       [](Schedule& s) { ByCron(s, "0 8 * * *", "10h"), s.time_zone = "Asia/Tokyo"; }, false},
      {[](Schedule& s) { ByCron(s, "*/30 * * * *", "10m"); },
       [](Schedule& s) { ByCron(s, "0,30 0-23 * 1-12 0-6", "10m"); }, true},
      {[](Schedule& s) { s.days = {"Sat"}; }, [](Schedule& s) { ByCron(s, "0 22 * * 6", "8h"); },
       true},
      {[](Schedule& s) { ByCron(s, "0 6 * * *", "16h"); }, [](Schedule&) {}, true},
      {[](Schedule& s) { ByCron(s, "0 6 * * *", "16h1m"); }, [](Schedule&) {}, false},
      {[](Schedule& s) { ByCron(s, "0 22 * * 6", "31h"); },
       [](Schedule& s) { ByCron(s, "0 0 * * 0,1,6", "24h"); }, true},
      {[](Schedule& s) { ByCron(s, "0 22 * * 6", "51h"); },
       [](Schedule& s) { ByCron(s, "0 0 * * 0,1,6", "24h"); }, false},
      {[](Schedule& s) { ByCron(s, "0 8 * * *", "744h"); },
       [](Schedule& s) { ByCron(s, "0 0 * * 1", "168h"); }, true},
      // A ceiling that is not there each week lies within a floor that is.
      {[](Schedule& s) { ByCron(s, "0 8 1 * *", "10h"); }, [](Schedule&) {}, true},
      {[](Schedule& s) { ByCron(s, "0 8 * 12 1-5", "10h"); },
       [](Schedule& s) { ByCron(s, "0 8 * * 1-5", "10h"); }, true},
      {[](Schedule& s) { ByCron(s, "0 8 1 * 1-5", "10h"); },
       [](Schedule& s) { ByCron(s, "0 8 * * 1-5", "10h"); }, false},  // the first is a Sunday, too
      {[](Schedule& s) { ByCron(s, "0 8 * * 1-5", "10h"), s.only = {"2026-12-25"}; },
       [](Schedule& s) { ByCron(s, "0 8 * * 1-5", "10h"); }, true},
      // The other way round that is certain only if it starts at the same times.
      {[](Schedule&) {}, [](Schedule& s) { ByCron(s, "0 22 1 * *", "8h"); }, false},
      {[](Schedule& s) { ByCron(s, "0 8 * * 1-5", "10h"); },
       [](Schedule& s) { ByCron(s, "0 8 * 12 1-5", "10h"); }, false},
      {[](Schedule& s) { ByCron(s, "0 8 * * 1-5", "10h"); },
       [](Schedule& s) { ByCron(s, "0 8 1 * 1-5", "10h"); }, true},  // on those days at least
      {[](Schedule& s) { ByCron(s, "0 8 * * 1-5", "10h"); },
       [](Schedule& s) { ByCron(s, "0 8 * * 1-5", "10h"), s.except = {"2026-12-25"}; }, false},
      {[](Schedule& s) { ByCron(s, "0 8 1 * *", "10h"); },
       [](Schedule& s) { ByCron(s, "0 8 1 * *", "10h"); }, true},
      {[](Schedule& s) { ByCron(s, "0 8 1 * *", "10h"), s.only = {"2026-12-01"}; },
       [](Schedule& s) { ByCron(s, "0 8 1 * *", "10h"); }, true},
      {[](Schedule& s) { ByCron(s, "0 8 1 * *", "10h"); },
       [](Schedule& s) { ByCron(s, "0 8 1 * *", "10h"), s.only = {"2026-12-01"}; }, false},
      {[](Schedule& s) { ByCron(s, "0 8 1 * *", "10h"); },
       [](Schedule& s) { ByCron(s, "0 8 1 * *", "9h"); }, false},
      {[](Schedule& s) { ByCron(s, "0 8 1 * *", "10h"); },
       [](Schedule& s) { ByCron(s, "0 8 2 * *", "10h"); }, false},
      // By the day of the month, however it is written.
      {[](Schedule& s) { ByCron(s, "0 9 1 * *", "2h"); },
       [](Schedule& s) { ByCron(s, "0 8 1,15 * *", "10h"); }, true},
      {[](Schedule& s) { ByCron(s, "0 9 1 * *", "9h1m"); },
       [](Schedule& s) { ByCron(s, "0 8 1,15 * *", "10h"); }, false},
      {[](Schedule& s) { ByCron(s, "0 8 31 * *", "10h"); },
       [](Schedule& s) { ByCron(s, "0 8 31 1,3,5,7,8,10,12 *", "10h"); }, true},
      {[](Schedule& s) { ByCron(s, "0 8 31 * *", "10h"); },
       [](Schedule& s) { ByCron(s, "0 8 31 1,3,5,7,8,10 *", "10h"); }, false},
      {[](Schedule& s) { ByCron(s, "0 0 1 * *", "24h"); },
       [](Schedule& s) { ByCron(s, "0 0 28-31 * *", "48h"); }, true},
      {[](Schedule& s) { ByCron(s, "0 0 1 * *", "24h"); },
       [](Schedule& s) { ByCron(s, "0 0 29-31 * *", "48h"); }, false},  // March
      {[](Schedule& s) { ByCron(s, "0 8 29 2 *", "10h"); },
       [](Schedule& s) { ByCron(s, "0 8 * 2 *", "10h"); }, true},
      {[](Schedule& s) { ByCron(s, "0 8 29 2 *", "10h"); },
       [](Schedule& s) { ByCron(s, "0 8 * * 1-6", "10h"); }, false},  // in 2032 it is a Sunday
      // By dates.
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00", s.only = {"2026-12-25"}; },
       [](Schedule& s) { s.only = {"2026-12-25"}; }, true},
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00", s.only = {"2026-12-25"}; },
       [](Schedule& s) {
         s.only = {"2027-01-01", "2026-12-25"};
       },
       true},
      {[](Schedule& s) {
         s.from = "08:00", s.to = "09:00", s.only = {"2026-12-25", "2026-12-26"};
       },
       [](Schedule& s) { s.only = {"2026-12-25"}; }, false},
      {[](Schedule& s) { s.only = {"2026-12-25"}; },  // its night
       [](Schedule& s) {
         s.from = "00:00", s.to = "24:00", s.only = {"2026-12-25", "2026-12-26"};
       },
       true},
      {[](Schedule& s) { s.only = {"2026-12-25"}; },
       [](Schedule& s) { s.from = "00:00", s.to = "24:00", s.only = {"2026-12-25"}; }, false},
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00", s.only = {"2026-12-25"}; },
       [](Schedule& s) { ByCron(s, "0 0 1 12 *", "744h"); }, true},
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00"; },
       [](Schedule& s) { s.only = {"2026-12-25"}; }, false},
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00", s.only = {"2026-12-25"}; },
       [](Schedule& s) { s.except = {"2026-12-25"}; }, false},
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00", s.only = {"2026-12-24"}; },
       [](Schedule& s) { s.except = {"2026-12-25"}; }, true},
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00", s.except = {"2026-12-25"}; },
       [](Schedule& s) { s.except = {"2026-12-25"}; }, true},
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00", s.except = {"2026-12-25"}; },
       [](Schedule& s) {
         s.except = {"2026-12-25", "2026-12-26"};
       },
       false},
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00", s.days = {"Mon-Fri"}; },
       [](Schedule& s) { s.except = {"2026-12-26"}; }, true},  // a Saturday
      {[](Schedule& s) { ByCron(s, "0 0 1 * *", "1h"); },
       [](Schedule& s) { ByCron(s, "0 0 2 * *", "744h"), s.except = {"2026-12-02"}; }, false},
      {[](Schedule& s) { ByCron(s, "0 0 2 1 *", "1h"), s.except = {"2027-01-02"}; },
       [](Schedule& s) { ByCron(s, "0 0 2 * *", "744h"), s.except = {"2027-01-02"}; }, true},
      // What is always there is so in each zone.
      {[](Schedule&) {},
       [](Schedule& s) { s.from = "00:00", s.to = "24:00", s.time_zone = "Asia/Tokyo"; }, true},
      {[](Schedule&) {},
       [](Schedule& s) { ByCron(s, "0 0 1 * *", "744h"), s.time_zone = "Asia/Tokyo"; }, true},
      {[](Schedule&) {},
       [](Schedule& s) { ByCron(s, "0 0 1 * *", "743h"), s.time_zone = "Asia/Tokyo"; }, false},
      {[](Schedule& s) { s.from = "08:00", s.to = "09:00"; },
       [](Schedule& s) { s.time_zone = "Etc/UTC"; }, true},
  };
  for (const auto& c : kCases) {
    Schedule ceiling = Night();
    Schedule floor = Day();
    c.ceiling(ceiling);
    c.floor(floor);
    EXPECT_EQ(Refusals({floor, ceiling}),
              c.refused ? "spec.schedules[1].maxReplicas: never counts: 3 is less than the "
                          "minReplicas 5 of the schedule \"day\", which has all of its "
                          "times, and a floor beats a ceiling"
                        : "")
        << &c - kCases;
  }
}

// One reason is enough, and the same wherever the schedules stand: an edit that moves them is
// refused for nothing new.
TEST(ScheduleContradictions, AreToldOnceWhereverTheyStand) {
  Schedule ceiling = Night();
  ceiling.from = "09:00";
  ceiling.to = "10:00";
  Schedule other = Day();
  other.name = "other";
  const std::string told = Refusals({Day(), ceiling});
  EXPECT_EQ(Refusals({Day(), other, ceiling}).substr(std::string("spec.schedules[2]").size()),
            told.substr(std::string("spec.schedules[1]").size()));
}

// While a hold of both directions is open nothing moves the count. A floor rises before its window.
TEST(ScheduleContradictions, AreBoundsWithinAHold) {
  const auto always = [](Schedule& s) { s.from = "00:00", s.to = "24:00"; };
  const auto ten_days = [](Schedule& s) { ByCron(s, "0 0 20 12 *", "240h"); };
  const struct {
    std::function<void(Schedule&)> bound;
    std::function<void(Schedule&)> hold;
    const char* fields;
  } kCases[] = {
      {[](Schedule& s) { s.min_replicas = 5; }, always, "minReplicas "},
      {[](Schedule& s) { s.max_replicas = 5; }, always, "maxReplicas "},
      {[](Schedule& s) { s.min_replicas = s.max_replicas = 5; }, always,
       "minReplicas maxReplicas "},
      {[](Schedule& s) { s.hold = "ScaleUp"; }, always, ""},
      {[](Schedule& s) { s.min_replicas = 5; },
       [](Schedule& s) { s.from = "00:00", s.to = "24:00", s.time_zone = "Asia/Tokyo"; },
       "minReplicas "},
      // In the other direction the bound keeps what is there.
      {[](Schedule& s) { s.min_replicas = s.max_replicas = 5; },
       [](Schedule& s) { s.from = "00:00", s.to = "24:00", s.hold = "ScaleUp"; }, ""},
      {[](Schedule& s) { s.min_replicas = s.max_replicas = 5; },
       [](Schedule& s) { s.from = "00:00", s.to = "24:00", s.hold = "ScaleDown"; }, ""},
      {[](Schedule& s) { s.min_replicas = s.max_replicas = 5; }, [](Schedule&) {}, "maxReplicas "},
      {[](Schedule& s) { s.max_replicas = 5; }, [](Schedule& s) { s.to = "21:59"; }, ""},
      {[](Schedule& s) { s.min_replicas = 5, s.only = {"2026-12-23"}; }, ten_days, "minReplicas "},
      {[](Schedule& s) { s.min_replicas = 5, s.only = {"2026-12-22"}; }, ten_days, ""},
      {[](Schedule& s) { s.min_replicas = 5, s.only = {"2026-12-29"}; }, ten_days, "minReplicas "},
      {[](Schedule& s) { s.min_replicas = 5, s.only = {"2026-12-30"}; }, ten_days, ""},
      {[](Schedule& s) { s.min_replicas = 5; }, ten_days, ""},
      {[](Schedule& s) { s.min_replicas = 5, s.only = {"2026-12-25"}; },
       [](Schedule& s) { ByCron(s, "0 0 20 12 *", "240h"), s.time_zone = "Asia/Tokyo"; }, ""},
  };
  for (const auto& c : kCases) {
    Schedule bound = Day();
    bound.min_replicas.reset();
    c.bound(bound);
    Schedule freeze = Day();
    freeze.name = "freeze";
    freeze.min_replicas.reset();
    freeze.hold = kHoldAll;
    c.hold(freeze);
    std::string expected;
    for (const char* field : {"minReplicas ", "maxReplicas "}) {
      if (std::string(c.fields).find(field) != std::string::npos) {
        expected += "spec.schedules[0]." + std::string(field, 11) +
                    ": never counts: the hold All of the schedule \"freeze\", which has all "
                    "of its times, comes after all bounds";
      }
    }
    EXPECT_EQ(Refusals({bound, freeze}), expected) << &c - kCases;
  }
}

}  // namespace
}  // namespace ballast::api
