#include "api/base/human_duration.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace ballast {
namespace {

TEST(HumanDuration, HasTheTwoLargestUnits) {
  const struct {
    std::int64_t millis;
    const char* expected;
  } kCases[] = {{0, "0s"},           {400, "0.4s"},        {45'900, "45s"},
                {60'000, "1m"},      {75'000, "1m15s"},    {3'600'000, "1h"},
                {3'900'000, "1h5m"}, {90'000'000, "1d1h"}, {86'400'000, "1d"}};
  for (const auto& c : kCases) {
    EXPECT_EQ(HumanDuration(Duration::Milliseconds(c.millis)), c.expected);
  }
}

TEST(HumanAge, SaysInWhichDirection) {
  EXPECT_EQ(HumanAge(Duration::Seconds(75)), "1m15s old");
  EXPECT_EQ(HumanAge({}), "0s old");
  EXPECT_EQ(HumanAge(Duration::Seconds(-8)), "8s ahead");
}

}  // namespace
}  // namespace ballast
