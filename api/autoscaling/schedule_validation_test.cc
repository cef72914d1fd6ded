#include "api/autoscaling/schedule_validation.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "api/autoscaling/testing/night_and_day.h"

namespace ballast::api {
namespace {

std::string Check(const std::vector<Schedule>& schedules, const ZoneCheck& zones = {}) {
  AutoscalerSpec spec;
  spec.min_replicas = 2;
  spec.max_replicas = 10;
  spec.schedules = schedules;
  std::string text;
  for (const FieldError& error : CheckSchedules(spec, zones)) {
    text += (text.empty() ? "" : " | ") + Print(error);
  }
  return text;
}

TEST(Schedules, AreRefusedWithTheFieldAndTheWayOut) {
  const struct {
    std::function<void(Schedule&)> change;
    const char* errors;
  } kCases[] = {
      {[](Schedule&) {}, ""},
      {[](Schedule& s) { s.max_replicas = 0; }, ""},
      {[](Schedule& s) { s.max_replicas = 2; }, ""},
      {[](Schedule& s) { s.ramp_minutes = 1440; }, ""},
      {[](Schedule& s) { s.hold = "ScaleUp"; }, ""},
      {[](Schedule& s) {
         s.max_replicas.reset();
         s.hold = "All";
       },
       ""},
      {[](Schedule& s) { s.max_replicas = 1; },
       "spec.schedules[0].maxReplicas: must lie between 2 (minReplicas) and 10 (maxReplicas), or "
       "be 0, is 1; a schedule narrows the bounds of the spec"},
      {[](Schedule& s) { s.max_replicas = 11; },
       "spec.schedules[0].maxReplicas: must lie between 2 (minReplicas) and 10 (maxReplicas), or "
       "be 0, is 11; a schedule narrows the bounds of the spec"},
      {[](Schedule& s) {
         s.max_replicas = 10;
         s.min_replicas = 0;
       },
       "spec.schedules[0].minReplicas: must lie between 2 (minReplicas) and 10 (maxReplicas), is "
       "0; a schedule narrows the bounds of the spec"},
      {[](Schedule& s) { s.min_replicas = 4; },
       "spec.schedules[0].maxReplicas: must not be less than minReplicas: 3 is less than 4"},
      {[](Schedule& s) { s.max_replicas.reset(); },
       "spec.schedules[0]: must have minReplicas, maxReplicas or hold, or else it changes nothing"},
      {[](Schedule& s) { s.ramp_minutes = 0; },
       "spec.schedules[0].rampMinutes: must be between 1 and 1440, is 0"},
      {[](Schedule& s) {
         s.max_replicas.reset();
         s.hold = "All";
         s.ramp_minutes = 5;
       },
       "spec.schedules[0].rampMinutes: must not be set without minReplicas or maxReplicas"},
      {[](Schedule& s) { s.hold = "Both"; },
       "spec.schedules[0].hold: must be All, ScaleUp or ScaleDown, is \"Both\""},
      {[](Schedule& s) { s.hold = "ScaleDown"; },
       "spec.schedules[0].hold: is ScaleDown, which keeps maxReplicas from being reached; keep one "
       "of the two"},
      {[](Schedule& s) {
         s.max_replicas.reset();
         s.min_replicas = 3;
         s.hold = "All";
       },
       "spec.schedules[0].hold: is All, which keeps minReplicas from being reached; keep one of "
       "the two"},
      {[](Schedule& s) { s.time_zone = ""; },
       "spec.schedules[0].timeZone: must be set to a zone like Europe/Berlin, or to UTC"},
      {[](Schedule& s) { s.to = ""; },
       "spec.schedules[0].to: must be set, because its other end is"},
  };
  for (const auto& c : kCases) {
    Schedule schedule = Night();
    c.change(schedule);
    EXPECT_EQ(Check({schedule}), c.errors);
  }
}

TEST(Schedules, NeedNamesOfTheirOwn) {
  EXPECT_EQ(Check({Night(), Day(), Night()}),
            "spec.schedules[2].name: must differ from the name of spec.schedules[0]: \"night\"");
  Schedule nameless = Night();
  nameless.name = "";
  EXPECT_EQ(Check({nameless}), "spec.schedules[0].name: must be set");
  std::vector<Schedule> many;
  for (int i = 0; i < 64; ++i) {
    many.push_back(Night());
    many.back().name += std::to_string(i);
  }
  EXPECT_EQ(Check(many), "");
  many.push_back(Day());
  EXPECT_EQ(Check(many), "spec.schedules: must have at most 64 entries, has 65");
}

TEST(Schedules, NeedAZoneThatIsKnown) {
  Schedule elsewhere = Day();
  elsewhere.time_zone = "Europe/Berlinn";
  const ZoneCheck zones{.wrong = [](const std::string& name) -> std::string {
    return name == "UTC" ? "" : "is not known here; did you mean Europe/Berlin?";
  }};
  EXPECT_EQ(Check({Night(), elsewhere}), "");
  EXPECT_EQ(Check({Night(), elsewhere}, zones),
            "spec.schedules[1].timeZone: is not known here; did you mean Europe/Berlin?");
}

}  // namespace
}  // namespace ballast::api
