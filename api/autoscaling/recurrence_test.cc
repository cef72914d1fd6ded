#include "api/autoscaling/recurrence.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <variant>

namespace ballast::api {
namespace {

Schedule Daily() { return {.name = "day", .time_zone = "UTC", .from = "08:00", .to = "18:00"}; }
Schedule ByCron() {
  return {.name = "day", .time_zone = "UTC", .cron = "0 8 * * 1-5", .duration = "10h"};
}

std::string Print(const FieldErrors& errors) {
  std::string text;
  for (const FieldError& error : errors) {
    text += (text.empty() ? "" : " | ") + Print(error);
  }
  return text;
}

TEST(Recurrence, IsReadFromTheTextsOfTheSchedule) {
  const struct {
    const char* from;
    const char* to;
    std::vector<std::string> days;
    WeekdaySet set;
    int minutes[2];
  } kCases[] = {
      {"08:00", "18:00", {}, kEveryDay, {480, 1080}},
      {"22:00", "06:00", {"Mon"}, 0b0000010, {1320, 360}},
      {"22:00", "00:00", {"Sat", "Sun"}, 0b1000001, {1320, 0}},
      {"00:00", "24:00", {"Mon-Fri"}, 0b0111110, {0, 1440}},
      {"00:00", "23:59", {"Sun-Fri"}, 0b0111111, {0, 1439}},
      {"00:00", "00:01", {"Fri-Mon", "Wed"}, 0b1101011, {0, 1}},
      {"00:00", "00:01", {"Wed-Wed"}, 0b0001000, {0, 1}},
  };
  for (const auto& c : kCases) {
    Schedule schedule = Daily();
    schedule.from = c.from;
    schedule.to = c.to;
    schedule.days = c.days;
    FieldErrors errors;
    const auto read = ReadRecurrence(schedule, "spec.schedules[0]", errors);
    ASSERT_TRUE(read) << Print(errors);
    const auto* daily = std::get_if<DailyTimes>(&read->times);
    ASSERT_NE(daily, nullptr);
    EXPECT_EQ(daily->days, c.set) << c.from;
    EXPECT_EQ(daily->from, c.minutes[0]) << c.from;
    EXPECT_EQ(daily->to, c.minutes[1]) << c.from;
  }
}

TEST(Recurrence, MayStartOnDaysOfItsListsOnly) {
  // Of December 2026 the 25th is a Friday.
  const CivilDate friday{2026, 12, 25};
  const CivilDate saturday{2026, 12, 26};
  EXPECT_EQ(WeekdayOf(friday), 5);
  EXPECT_EQ(WeekdayOf(CivilDate{1969, 12, 31}), 3);
  const struct {
    Schedule schedule;
    std::vector<std::string> days;
    std::vector<std::string> except;
    std::vector<std::string> only;
    bool on_friday;
    bool on_saturday;
  } kCases[] = {
      {Daily(), {}, {}, {}, true, true},
      {Daily(), {"Mon-Fri"}, {}, {}, true, false},
      {Daily(), {}, {"2027-01-01", "2026-12-25"}, {}, false, true},
      {Daily(), {}, {}, {"2027-01-01", "2026-12-26"}, false, true},
      {Daily(), {"Fri"}, {"2026-12-26"}, {"2026-12-25"}, true, false},
      {ByCron(), {}, {}, {}, true, false},
      {ByCron(), {}, {"2026-12-25"}, {}, false, false},
  };
  for (const auto& c : kCases) {
    Schedule schedule = c.schedule;
    schedule.days = c.days;
    schedule.except = c.except;
    schedule.only = c.only;
    FieldErrors errors;
    const auto read = ReadRecurrence(schedule, "s", errors);
    ASSERT_TRUE(read) << Print(errors);
    EXPECT_EQ(read->MayStartOn(friday), c.on_friday) << Print(errors);
    EXPECT_EQ(read->MayStartOn(saturday), c.on_saturday) << Print(errors);
  }
}

TEST(Recurrence, SaysWhatIsWrongAndTheWayOut) {
  const struct {
    Schedule schedule;
    std::function<void(Schedule&)> change;
    const char* errors;
  } kCases[] = {
      {Daily(), [](Schedule& s) { s.from = s.to = ""; },
       "s.from: must be set, with to; or else cron with duration"},
      {Daily(), [](Schedule& s) { s.to = ""; }, "s.to: must be set, because its other end is"},
      {Daily(), [](Schedule& s) { s.from = "8:00"; },
       "s.from: must be a time of day like \"08:00\", in quotes, is \"8:00\""},
      {Daily(), [](Schedule& s) { s.to = "24:01"; },
       "s.to: must be a time of day like \"08:00\", in quotes, is \"24:01\""},
      {Daily(), [](Schedule& s) { s.to = "1080"; },
       "s.to: must be a time of day like \"08:00\", in quotes, is \"1080\""},
      {Daily(), [](Schedule& s) { s.from = "24:00"; },
       "s.from: must be \"23:59\" or earlier; a day begins at \"00:00\""},
      {Daily(), [](Schedule& s) { s.to = "08:00"; },
       "s.to: must differ from from; a whole day is from \"00:00\" to \"24:00\", and 24 hours from "
       "another time are cron with duration: 24h"},
      {Daily(), [](Schedule& s) { s.days = {"Monday"}; },
       "s.days[0]: must be days like Mon, Sat-Sun or Mon-Fri, is \"Monday\"; did you mean Mon?"},
      {Daily(),
       [](Schedule& s) {
         s.days = {"Mon", "1-7"};
       },
       "s.days[1]: must be days like Mon, Sat-Sun or Mon-Fri, is \"1-7\""},
      {Daily(), [](Schedule& s) { s.cron = "0 8 * * *"; },
       "s.cron: must not be set beside from and to; keep one of the two"},
      {Daily(), [](Schedule& s) { s.duration = "1h"; },
       "s.duration: must not be set beside from and to; keep one of the two"},
      {ByCron(), [](Schedule& s) { s.cron = ""; }, "s.cron: must be set beside duration"},
      {ByCron(), [](Schedule& s) { s.cron = "0 25 * * *"; },
       "s.cron: hour: \"25\" is not between 0 and 23"},
      {ByCron(), [](Schedule& s) { s.duration = ""; },
       "s.duration: must be set beside cron, like 10h"},
      {ByCron(), [](Schedule& s) { s.duration = "90s"; },
       "s.duration: must be whole minutes between 1m and 744h (31 days), like 10h or 1h30m, is "
       "\"90s\""},
      {ByCron(), [](Schedule& s) { s.duration = "745h"; },
       "s.duration: must be whole minutes between 1m and 744h (31 days), like 10h or 1h30m, is "
       "\"745h\""},
      {ByCron(), [](Schedule& s) { s.days = {"Mon"}; },
       "s.days: must not be set beside cron, which has a day of week itself"},
      {Daily(),
       [](Schedule& s) {
         s.except = {"2026-12-25", "25.12.2026"};
       },
       "s.except[1]: must be a day like \"2026-12-25\", is \"25.12.2026\""},
      {Daily(), [](Schedule& s) { s.only = {"2026-02-29"}; },
       "s.only[0]: must be a day like \"2026-12-25\", is \"2026-02-29\""},
      {Daily(), [](Schedule& s) { s.only = s.except = {"2026-12-25"}; },
       "s.only[0]: must not be in except as well: 2026-12-25"},
      {Daily(),
       [](Schedule& s) {
         s.days = {"Mon-Fri"};
         s.only = {"2026-12-25", "2026-12-26"};
       },
       "s.only[1]: 2026-12-26 is a Sat, on which days say that no window starts"},
      {ByCron(), [](Schedule& s) { s.only = {"2026-12-26"}; },
       "s.only[0]: 2026-12-26 is a Sat, on which cron says that no window starts"},
  };
  for (const auto& c : kCases) {
    Schedule schedule = c.schedule;
    c.change(schedule);
    FieldErrors errors;
    EXPECT_FALSE(ReadRecurrence(schedule, "s", errors)) << c.errors;
    EXPECT_EQ(Print(errors), c.errors);
  }
}

}  // namespace
}  // namespace ballast::api
