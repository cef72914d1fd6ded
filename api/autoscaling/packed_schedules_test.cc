#include "api/autoscaling/packed_schedules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/json/json_writer.h"

namespace ballast::api {
namespace {

std::string Print(const std::vector<Schedule>& schedules) {
  std::string text;
  for (const Schedule& schedule : schedules) {
    json::Writer out;
    Encode(out, schedule);
    text += out.Take() + "\n";
  }
  return text;
}

TEST(PackedSchedules, AreWhatWasPacked) {
  const std::string long_text(70'000, 'x');
  const Schedule all{.name = "all",
                     .time_zone = "Europe/Berlin",
                     .days = {"Mon-Fri", "Sun"},
                     .from = "08:00",
                     .to = "18:00",
                     .cron = "0 8 * * *",
                     .duration = "10h",
                     .min_replicas = 0,
                     .max_replicas = -2'000'000'000,
                     .hold = "All",
                     .ramp_minutes = 1440,
                     .except = std::vector<std::string>(300, "2026-12-25"),
                     .only = {""}};
  const std::vector<Schedule> kCases[] = {
      {},
      {Schedule()},
      {all},
      {all, Schedule(), {.name = long_text, .hold = std::string(254, 'y')}, all},
      {{.name = std::string(255, 'z')}, {.time_zone = std::string("\0\xff", 2)}}};
  for (const std::vector<Schedule>& schedules : kCases) {
    const PackedSchedules packed = schedules;
    EXPECT_EQ(packed.empty(), schedules.empty());
    EXPECT_EQ(Print(packed.Unpack()), Print(schedules));
  }
  EXPECT_EQ(Print(PackedSchedules({all, Schedule{.name = "b"}}).Unpack()),
            Print({all, Schedule{.name = "b"}}));
}

}  // namespace
}  // namespace ballast::api
