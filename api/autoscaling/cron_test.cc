#include "api/autoscaling/cron.h"

#include <gtest/gtest.h>

#include <string>

namespace ballast::api {
namespace {

// The minutes, hours, days of the month, months and days of the week, as lists.
std::string Print(const Cron& cron) {
  const auto list = [](std::uint64_t bits) {
    std::string text;
    for (int i = 0; i < 64; ++i) {
      text += (bits >> i & 1) == 0 ? "" : (text.empty() ? "" : ",") + std::to_string(i);
    }
    return text;
  };
  return list(cron.minutes) + " " + list(cron.hours) + " " +
         (cron.any_day_of_month ? "*" : list(cron.days_of_month)) + " " + list(cron.months) + " " +
         (cron.any_day_of_week ? "*" : list(cron.days_of_week));
}

TEST(Cron, IsReadAsKubernetesReadsIt) {
  const struct {
    const char* text;
    const char* read;  // or the error
  } kCases[] = {
      {"0 8 * * 1-5", "0 8 * 1,2,3,4,5,6,7,8,9,10,11,12 1,2,3,4,5"},
      {"  */20  0-23/6 1,15 jan-MAR Sun ", "0,20,40 0,6,12,18 1,15 1,2,3 0"},
      {"5 4 31 12 *", "5 4 31 12 *"},
      {"0 0 29 2 *", "0 0 29 2 *"},
      {"0 0 30 2 1", "0 0 30 2 1"},  // on Mondays of February
      {"0 0 * 2 7", "0 0 * 2 0"},
      {"0 0 * 2 1-7", "0 0 * 2 0,1,2,3,4,5,6"},
      {"0 0 * 2 5-7", "0 0 * 2 0,5,6"},
      {"60 8 * * *", "minute: \"60\" is not between 0 and 59"},
      {"0 24 * * *", "hour: \"24\" is not between 0 and 23"},
      {"0 8 0 * *", "day of month: \"0\" is not between 1 and 31"},
      {"0 8 * 13 *", "month: \"13\" is not between 1 and 12"},
      {"0 8 * * 8", "day of week: \"8\" is not between 0 and 7"},
      {"0 8 * * Mond", "day of week: \"Mond\" is neither a number nor a name like mon"},
      {"x 8 * * *", "minute: \"x\" is no number"},
      {"-1 8 * * *", "minute: \"\" is no number"},
      {"0 22-2 * * *",
       "hour: \"22-2\" ends before it begins; write two ranges, separated by a comma"},
      {"0 8 * * 1-5-6", "day of week: \"1-5-6\" is none of *, 5, 1-5, */15 and 0-30/10"},
      {"5/15 8 * * *", "minute: \"5/15\" has a step without a range; write */5 or 0-30/5"},
      {"*/0 8 * * *", "minute: \"*/0\" has a step that is no number from 1 to 59"},
      {"*/ 8 * * *", "minute: \"*/\" has a step that is no number from 1 to 59"},
      {"0 0 */2147483647 * *",
       "day of month: \"*/2147483647\" has a step that is no number from 1 to 31"},
      {"0 8 */1 * 1-5", "0 8 * 1,2,3,4,5,6,7,8,9,10,11,12 1,2,3,4,5"},
      {"0 8 ? * 1-5", "0 8 * 1,2,3,4,5,6,7,8,9,10,11,12 1,2,3,4,5"},
      {"0, 8 * * *", "minute: \"\" is no number"},
      {"0 8 30,31 2 *", "day of month: none of the months has a day \"30,31\""},
      {"0 8 * *",
       "must have five fields (minute, hour, day of month, month, day of week), like \"0 8 * * "
       "1-5\", is \"0 8 * *\""},
      {"@daily",
       "must have five fields (minute, hour, day of month, month, day of week), like \"0 8 * * "
       "1-5\", is \"@daily\""},
      {"0 0 8 * * 1-5",
       "must have five fields (minute, hour, day of month, month, day of week), like \"0 8 * * "
       "1-5\", is \"0 0 8 * * 1-5\"; seconds are not supported: leave the first field out"},
      {"CRON_TZ=Asia/Tokyo 0 8 * * *", "must not name a zone; set timeZone"},
  };
  for (const auto& c : kCases) {
    const auto cron = ParseCron(c.text);
    EXPECT_EQ(cron.ok() ? Print(*cron) : cron.error().message, c.read) << c.text;
  }
}

TEST(Cron, TakesEitherDayWhereBothAreRestricted) {
  const struct {
    const char* text;
    int day;
    int weekday;
    bool has;
  } kCases[] = {{"0 0 13 6 5", 13, 1, true},  {"0 0 13 6 5", 12, 5, true},
                {"0 0 13 6 5", 12, 4, false}, {"0 0 * 6 5", 13, 1, false},
                {"0 0 * 6 5", 12, 5, true},   {"0 0 13 6 *", 13, 1, true},
                {"0 0 13 6 *", 12, 5, false}, {"0 0 13 7 *", 13, 1, false}};
  for (const auto& c : kCases) {
    const auto cron = ParseCron(c.text);
    ASSERT_TRUE(cron.ok()) << c.text;
    EXPECT_EQ(cron->HasDay(6, c.day, c.weekday), c.has) << c.text << " " << c.day;
  }
}

}  // namespace
}  // namespace ballast::api
