#include "operator/cli/terminal/times.h"

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
      {"2d", Zone::kLocal, "2026-03-02T12:00:00Z"},
      {"11:05", Zone::kUtc, "2026-03-04T11:05:00Z"},
      {"11:05:09", Zone::kUtc, "2026-03-04T11:05:09Z"},
      {"14:05", Zone::kLocal, "2026-03-04T08:35:00Z"},
      {"13:05+02:00", Zone::kUtc, "2026-03-04T11:05:00Z"},
      {"11:05Z", Zone::kLocal, "2026-03-04T11:05:00Z"},
      // A time of the day is the last one: of today, ...
      {"12:00", Zone::kUtc, "2026-03-04T12:00:00Z"},
      {"17:30", Zone::kLocal, "2026-03-04T12:00:00Z"},
      // ... or of yesterday.
      {"12:01", Zone::kUtc, "2026-03-03T12:01:00Z"},
      {"17:31", Zone::kLocal, "2026-03-03T12:01:00Z"},
      {"14:05:30-05:30", Zone::kLocal, "2026-03-03T19:35:30Z"},
      // Today is that of the zone: there it is the 5th already.
      {"00:55+13:00", Zone::kUtc, "2026-03-04T11:55:00Z"},
      {"01:05+13:00", Zone::kUtc, "2026-03-03T12:05:00Z"},
      {"2028-02-29 10:00", Zone::kUtc, "2028-02-29T10:00:00Z"},
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

TEST(ParseSpan, TakesDays) {
  const struct {
    const char* text;
    const char* expected;
  } kCases[] = {
      {"90m", "1h30m0s"},
      {"7d", "168h0m0s"},
      {"1d12h", "36h0m0s"},
      {"0", "0s"},
      {"9999d2562047h", "2562047h47m16.854775807s"},
      {"2", "--for: \"2\" needs a unit, as in 2m, 2h or 2d"},
      {"", "--for: \"\" is no span like 90m, 2h, 7d or 1d12h"},
      {"d", "--for: \"d\" is no span like 90m, 2h, 7d or 1d12h"},
      {"-2h", "--for: \"-2h\" is no span like 90m, 2h, 7d or 1d12h"},
      {"1d-2h", "--for: \"1d-2h\" is no span like 90m, 2h, 7d or 1d12h"},
      {"10000d", "--for: \"10000d\" is no span like 90m, 2h, 7d or 1d12h"},
      {"2h1d", "--for: \"2h1d\" is no span like 90m, 2h, 7d or 1d12h"},
  };
  for (const auto& c : kCases) {
    const auto span = ParseSpan("--for", c.text);
    EXPECT_EQ(span.ok() ? Print(*span) : span.error().message, c.expected);
  }
}

TEST_F(InKolkata, APointIsNoSpan) {
  EXPECT_EQ(Print(ParsePoint("--from", "11:05", kNow, Zone::kUtc).value()), "2026-03-04T11:05:00Z");
  EXPECT_EQ(ParsePoint("--from", "20m", kNow, Zone::kUtc).error().message,
            "--from: \"20m\" is not a time (2026-04-08T14:05:00Z, \"2026-04-08 14:05\", 14:05, "
            "14:05+02:00)");
}

TEST_F(InKolkata, RefusesWhatIsNoMoment) {
  for (const char* text :
       {"", "yesterday", "25:00", "14:05 ", "-20m", "14", "2026-13-01 10:00", "+02:00", "14:05+2",
        "14:05+25:00", "14:05+0200", "14:05 +02:00", "14:05+ 2:00", "2026-03-01+01:00",
        "2026-02-30 10:00", "2026-02-29 10:00+01:00", "2026-04-31T10:00:00"}) {
    const auto time = ParseMoment("--since", text, kNow, Zone::kUtc);
    ASSERT_FALSE(time.ok()) << text;
    EXPECT_EQ(time.error().message.rfind("--since: \"" + std::string(text) + "\" is neither", 0),
              0U);
  }
}

// At 00:10 of the first day of a month; and what is to come may be meant.
TEST_F(InKolkata, KnowsYesterdayFromTonight) {
  const Time now = ParseTime("2026-03-01T00:10:00Z").value();
  const auto parse = [&](TimeOfDay meant) {
    return Print(ParseMoment("--at", "23:50", now, Zone::kUtc, meant).value());
  };
  EXPECT_EQ(parse(TimeOfDay::kLast), "2026-02-28T23:50:00Z");
  EXPECT_EQ(parse(TimeOfDay::kToday), "2026-03-01T23:50:00Z");
  EXPECT_EQ(parse(TimeOfDay::kTomorrow), "2026-03-02T23:50:00Z");
}

// DST ends at 2026-10-25T01:00:00Z and began at 2026-03-29T01:00:00Z.
TEST_F(InKolkata, KnowsTheHoursThatClocksShowTwiceOrNever) {
  setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  tzset();
  const struct {
    const char* now;
    const char* text;
    const char* expected;
  } kCases[] = {
      {"2026-10-25T12:00:00Z", "02:30", "2026-10-25T01:30:00Z"},
      {"2026-10-25T01:10:00Z", "02:20", "2026-10-25T00:20:00Z"},
      {"2026-10-25T00:10:00Z", "02:20", "2026-10-24T00:20:00Z"},
      {"2026-03-29T12:00:00Z", "02:30", "2026-03-28T01:30:00Z"},
      {"2026-03-29T23:30:00Z", "02:30", "2026-03-28T01:30:00Z"},
      {"2026-03-29T12:00:00Z", "03:30", "2026-03-29T01:30:00Z"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Print(ParseMoment("--at", c.text, ParseTime(c.now).value(), Zone::kLocal).value()),
              c.expected)
        << c.now << " " << c.text;
  }
  const Time before = ParseTime("2026-10-25T00:30:00Z").value();
  const Time after = ParseTime("2026-10-25T01:30:00Z").value();
  EXPECT_EQ(PrintUnder(Zone::kLocal, before, after), "2026-10-25 02:30:00 CEST");
  EXPECT_EQ(PrintUnder(Zone::kLocal, after, after), "2026-10-25 02:30:00");
  EXPECT_EQ(PrintNear(Zone::kLocal, after, before), "02:30:00 CET");
  EXPECT_EQ(PrintNamed(Zone::kLocal, after, before), "02:30:00 CET");
  EXPECT_EQ(PrintSpan(Zone::kLocal, before, after), "2026-10-25 02:30:00 CEST to 02:30:00 CET");
  EXPECT_EQ(PrintSpan(Zone::kUtc, before, after), "2026-10-25 00:30:00 to 01:30:00 UTC");
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
