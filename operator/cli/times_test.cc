#include "operator/cli/times.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace ballast::cli {
namespace {

// 2026-03-04T12:00:00Z
constexpr Time kNow{1'772'625'600, 0};

// UTC+5:30 all year.
class InKolkata : public ::testing::Test {
 protected:
  InKolkata() {
    setenv("TZ", "IST-5:30", 1);
    tzset();
  }
  ~InKolkata() override {
    unsetenv("TZ");
    tzset();
  }
};

TEST_F(InKolkata, ParsesWhatPeopleWrite) {
  const struct {
    const char* text;
    Zone zone;
    const char* expected;
  } kCases[] = {
      {"2026-03-04T11:05:00Z", Zone::kLocal, "2026-03-04T11:05:00Z"},
      {"2026-03-04T11:05:00.25+02:00", Zone::kUtc, "2026-03-04T09:05:00.25Z"},
      {"now", Zone::kUtc, "2026-03-04T12:00:00Z"},
      {"20m", Zone::kUtc, "2026-03-04T11:40:00Z"},
      {"1h30m", Zone::kLocal, "2026-03-04T10:30:00Z"},
      {"11:05", Zone::kUtc, "2026-03-04T11:05:00Z"},
      {"11:05:09", Zone::kUtc, "2026-03-04T11:05:09Z"},
      {"14:05", Zone::kLocal, "2026-03-04T08:35:00Z"},
      {"14:05+02:00", Zone::kUtc, "2026-03-04T12:05:00Z"},
      {"14:05:30-05:30", Zone::kLocal, "2026-03-04T19:35:30Z"},
      {"14:05Z", Zone::kLocal, "2026-03-04T14:05:00Z"},
      // Today is that of the zone: there it is the 5th already.
      {"01:05+13:00", Zone::kUtc, "2026-03-04T12:05:00Z"},
      {"2026-03-01 14:05+01:00", Zone::kLocal, "2026-03-01T13:05:00Z"},
      {"2026-03-01T14:05-01:00", Zone::kLocal, "2026-03-01T15:05:00Z"},
      {"2026-03-01 14:05", Zone::kLocal, "2026-03-01T08:35:00Z"},
      {"2026-03-01 14:05:10", Zone::kUtc, "2026-03-01T14:05:10Z"},
      {"2026-03-01T14:05", Zone::kUtc, "2026-03-01T14:05:00Z"},
  };
  for (const auto& c : kCases) {
    const auto time = ParseMoment("--at", c.text, kNow, c.zone);
    ASSERT_TRUE(time.ok()) << c.text;
    EXPECT_EQ(Print(*time), c.expected) << c.text;
  }
}

TEST_F(InKolkata, RefusesWhatIsNoMoment) {
  for (const char* text :
       {"", "yesterday", "25:00", "14:05 ", "-20m", "14", "2026-13-01 10:00", "+02:00", "14:05+2",
        "14:05+25:00", "14:05+0200", "14:05 +02:00", "14:05+ 2:00", "2026-03-01+01:00"}) {
    const auto time = ParseMoment("--since", text, kNow, Zone::kUtc);
    ASSERT_FALSE(time.ok()) << text;
    EXPECT_EQ(time.error().message.rfind("--since: \"" + std::string(text) + "\" is neither", 0),
              0U);
  }
}

TEST_F(InKolkata, PrintsInTheZone) {
  EXPECT_EQ(PrintIn(Zone::kLocal, kNow), "2026-03-04 17:30:00");
  EXPECT_EQ(PrintIn(Zone::kUtc, kNow), "2026-03-04 12:00:00");
  EXPECT_EQ(NameOf(Zone::kLocal, kNow), "IST");
  EXPECT_EQ(NameOf(Zone::kUtc, kNow), "UTC");
  EXPECT_EQ(PrintNear(Zone::kUtc, kNow, kNow + Duration::Seconds(60)), "12:00:00");
  EXPECT_EQ(PrintNear(Zone::kUtc, kNow, kNow + Duration::Seconds(86'400)), "2026-03-04 12:00:00");
}

}  // namespace
}  // namespace ballast::cli
