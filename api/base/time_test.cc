#include "api/base/time.h"

#include <gtest/gtest.h>

#include <limits>

namespace ballast {
namespace {

TEST(Time, ParsesRfc3339) {
  const struct {
    const char* text;
    const char* printed;  // empty: kInvalid
  } kCases[] = {
      {"1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"},
      {"2026-04-08T04:42:29.5+02:00", "2026-04-08T02:42:29.5Z"},
      {"2026-04-08T04:42:29.123456789123Z", "2026-04-08T04:42:29.123456789Z"},
      {"2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z"},
      {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
      {"9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"},
      {"1969-12-31T23:59:59.25Z", "1969-12-31T23:59:59.25Z"},
      {"2100-02-29T00:00:00Z", ""},
      {"2026-04-31T00:00:00Z", ""},
      {"2026-00-01T00:00:00Z", ""},
      {"2026-04-08T24:00:00Z", ""},
      {"2026-04-08T00:00:60Z", ""},
      {"2026-04-08T00:00:00", ""},
      {"2026-04-08T00:00:00.Z", ""},
      {"2026-04-08 00:00:00Z", ""},
      {"2026-04-08T00:00:00Zx", ""},
      {"2026-04-08T00:00:00+2:00", ""},
      {"", ""},
  };
  for (const auto& c : kCases) {
    const auto time = ParseTime(c.text);
    EXPECT_EQ(time.ok() ? Print(*time) : "", c.printed) << c.text;
  }
  EXPECT_EQ(PrintMicro(ParseTime("2026-04-08T02:42:29.5Z").value()), "2026-04-08T02:42:29.500000Z");
}

TEST(Time, EveryDaySurvivesPrintingAndParsing) {
  for (std::int64_t day = -719'528; day < 2'932'897; day += 37) {
    const Time time(day * 86'400, 0);
    const auto again = ParseTime(Print(time));
    ASSERT_TRUE(again.ok()) << day;
    ASSERT_EQ(again->unix_seconds(), time.unix_seconds()) << Print(time);
  }
}

TEST(Time, ArithmeticCarriesAndSaturates) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  const Time time(100, 900'000'000);
  EXPECT_EQ(time + Duration::Milliseconds(200), Time(101, 100'000'000));
  EXPECT_EQ(time - Duration::Milliseconds(1'000'000), Time(-900 + 0, 900'000'000));
  EXPECT_EQ(Time(101, 0) - time, Duration::Milliseconds(100));
  EXPECT_EQ(time - Time(101, 0), Duration::Milliseconds(-100));
  EXPECT_EQ(Time::FromUnixNanoseconds(-1), Time(-1, 999'999'999));
  EXPECT_EQ(Time::FromUnixNanoseconds(-1).unix_nanoseconds(), -1);
  EXPECT_EQ((ParseTime("9999-01-01T00:00:00Z").value() - Time()).nanoseconds, kMax);
  EXPECT_EQ((Time() - ParseTime("9999-01-01T00:00:00Z").value()).nanoseconds, kMin);
  EXPECT_EQ(Print(ParseTime("9999-12-31T00:00:00Z").value() + Duration{kMax}),
            "9999-12-31T23:59:59.999999999Z");
  EXPECT_EQ(Print(Time() - Duration{kMin}), "0293-04-11T23:47:16.854775807Z");
}

TEST(Duration, OfACountSaturates) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(Duration::Seconds(-2).nanoseconds, -2'000'000'000);
  EXPECT_EQ(Duration::Seconds(kMax / 1'000'000'000).nanoseconds, 9'223'372'036'000'000'000);
  EXPECT_EQ(Duration::Seconds(kMax / 1'000'000'000 + 1).nanoseconds, kMax);
  EXPECT_EQ(Duration::Seconds(kMin / 1'000'000'000 - 1).nanoseconds, kMin);
  EXPECT_EQ(Duration::Milliseconds(kMax).nanoseconds, kMax);
}

TEST(Duration, ParsesAndPrintsAsGo) {
  const struct {
    const char* text;
    std::int64_t nanoseconds;
    const char* printed;
  } kCases[] = {
      {"0", 0, "0s"},
      {"15s", 15'000'000'000, "15s"},
      {"1m0s", 60'000'000'000, "1m0s"},
      {"1h2m3.5s", 3'723'500'000'000, "1h2m3.5s"},
      {"300ms", 300'000'000, "300ms"},
      {"-1.5h", -5'400'000'000'000, "-1h30m0s"},
      {"+5us", 5'000, "5\u00b5s"},
      {"1.5\u00b5s", 1'500, "1.5\u00b5s"},
      {".5ns", 0, "0s"},
      {"7ns", 7, "7ns"},
      {"100h", 360'000'000'000'000, "100h0m0s"},
      {"1s1s", 2'000'000'000, "2s"},
      {"9223372036854775807ns", 9'223'372'036'854'775'807, "2562047h47m16.854775807s"},
      {"-9223372036854775808ns", std::numeric_limits<std::int64_t>::min(),
       "-2562047h47m16.854775808s"},
  };
  for (const auto& c : kCases) {
    const auto span = ParseDuration(c.text);
    ASSERT_TRUE(span.ok()) << c.text;
    EXPECT_EQ(span->nanoseconds, c.nanoseconds) << c.text;
    EXPECT_EQ(Print(*span), c.printed) << c.text;
  }
  for (const char* text : {"", "-", "15", "s", "1x", "1 s", ".s", "9223372036854775808ns",
                           "99999999999999999999s", "1m-1s"}) {
    EXPECT_FALSE(ParseDuration(text).ok()) << text;
  }
}

}  // namespace
}  // namespace ballast
