#include "operator/cli/manifests/keda_cron.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/json/json_writer.h"
#include "operator/cli/manifests/keda_fields.h"

namespace ballast::cli {
namespace {

using ::testing::HasSubstr;

// The schedule as JSON, or the error.
std::string Converted(const char* start, const char* end, bool* differs = nullptr) {
  const auto made = ScheduleOfCron({"UTC", start, end});
  if (!made.ok()) {
    return made.error().message;
  }
  if (differs != nullptr) {
    *differs = !made->difference.empty();
  }
  json::Writer out;
  api::Encode(out, made->schedule);
  return out.Take();
}

TEST(ScheduleOfCron, HasWallTimesAndDaysWhereThatIsEnough) {
  const struct {
    const char* start;
    const char* end;
    const char* schedule;
  } kCases[] = {
      {"0 8 * * *", "30 18 * * *", R"("from":"08:00","to":"18:30")"},
      {"0 8 * * 1-5", "0 18 * * MON-FRI", R"("days":["Mon-Fri"],"from":"08:00","to":"18:00")"},
      {"0 22 * * *", "0 6 * * *", R"("from":"22:00","to":"06:00")"},
      {"0 22 * * 1-5", "0 6 * * 2-6", R"("days":["Mon-Fri"],"from":"22:00","to":"06:00")"},
      {"0 22 * * 6,0", "0 6 * * 0,1", R"("days":["Sat-Sun"],"from":"22:00","to":"06:00")"},
      {"5 9 * * 1,3", "0 0 * * 2,4", R"("days":["Mon","Wed"],"from":"09:05","to":"24:00")"},
      {"0 0 * * 1", "0 0 * * 2", R"("days":["Mon"],"from":"00:00","to":"24:00")"},
      {"0 8 * * 1", "0 8 * * 2", R"("cron":"0 8 * * 1","duration":"24h")"},
      {"30 8 * * 1,3", "30 8 * * 2,4", R"("cron":"30 8 * * 1,3","duration":"24h")"},
      {"0 8 1 * *", "0 18 1 * *", R"("cron":"0 8 1 * *","duration":"600m")"},
      {"0 8 27 11 *", "0 23 27 11 *", R"("cron":"0 8 27 11 *","duration":"900m")"},
  };
  for (const auto& c : kCases) {
    bool differs = true;
    EXPECT_THAT(Converted(c.start, c.end, &differs), HasSubstr(c.schedule)) << c.start;
    EXPECT_FALSE(differs) << c.start;
  }
}

// KEDA's users meant the first of these and got the second.
TEST(ScheduleOfCron, AnEndOnEachDayEndsTheWindowOfItsDay) {
  bool differs = false;
  EXPECT_THAT(Converted("0 8 * * 1-5", "0 18 * * *", &differs),
              HasSubstr(R"("days":["Mon-Fri"],"from":"08:00","to":"18:00")"));
  EXPECT_TRUE(differs);
}

TEST(ScheduleOfCron, SaysWhyThereIsNone) {
  const struct {
    const char* start;
    const char* end;
    const char* why;
  } kCases[] = {
      {"soon", "0 18 * * *", "metadata.start"},
      {"0 8 * * *", "", "metadata.end"},
      {"0 8,12 * * *", "0 18 * * *", "metadata.start names several times of a day"},
      {"0 8 * * *", "*/5 * * * *", "metadata.end names several times of a day"},
      {"0 8 * * 1", "0 18 * * 5", "does not come once after each metadata.start"},
      {"0 22 * * 1-5", "0 6 * * 1-5", "does not come once after each metadata.start"},
      {"0 8 1 * *", "0 18 2 * *", "are not on the same dates"},
      {"0 22 1 * *", "0 6 1 * *", "are not on the same dates"},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(Converted(c.start, c.end), HasSubstr(c.why)) << c.start;
  }
}

TEST(WholeNumber, IsReadAsKedaReadsIt) {
  EXPECT_EQ(WholeNumber("+60"), 60);
  EXPECT_EQ(WholeNumber("060"), 60);
  EXPECT_EQ(WholeNumber("-1"), -1);
  for (const char* none : {"", "+", "+-1", "++1", "6.0", " 6", "0x6", "2147483648"}) {
    EXPECT_EQ(WholeNumber(none), std::nullopt) << none;
  }
}

}  // namespace
}  // namespace ballast::cli
