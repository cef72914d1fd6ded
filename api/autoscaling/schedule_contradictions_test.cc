#include "api/autoscaling/schedule_contradictions.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "api/autoscaling/schedule_validation.h"
#include "api/autoscaling/testing/night_and_day.h"

namespace ballast::api {
namespace {

void ByCron(Schedule& schedule, const char* cron, const char* duration) {
  schedule.from = schedule.to = "";
  schedule.cron = cron;
  schedule.duration = duration;
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
  };
  for (const auto& c : kCases) {
    Schedule ceiling = Night();
    Schedule floor = Day();
    c.ceiling(ceiling);
    c.floor(floor);
    AutoscalerSpec spec;
    spec.min_replicas = 2;
    spec.max_replicas = 10;
    spec.schedules = {floor, ceiling};
    std::string text;
    for (const FieldError& error : FindContradictions(spec)) {
      text += Print(error);
    }
    EXPECT_EQ(text, c.refused
                        ? "spec.schedules[1].maxReplicas: never counts: 3 is less than the "
                          "minReplicas 5 of spec.schedules[0] (\"day\"), which has all of its "
                          "times, and a floor beats a ceiling"
                        : "")
        << &c - kCases;
    EXPECT_TRUE(CheckSchedules(spec, {}).empty()) << "a policy that has them goes on";
  }
}

}  // namespace
}  // namespace ballast::api
