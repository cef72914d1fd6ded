#include "operator/controllers/schedule.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace ballast::controllers {
namespace {

using namespace std::chrono_literals;
using runtime::SteadyTime;

constexpr Duration kPeriod = Duration::Seconds(15);

TEST(NextRun, IsAPeriodAfterTheLast) {
  const api::ObjectReference policy{"AutoScalePolicy", "shop", "web"};
  const SteadyTime first = NextRun(policy, kPeriod, SteadyTime(1h));
  EXPECT_GT(first, SteadyTime(1h));
  EXPECT_LE(first, SteadyTime(1h) + 15s);
  EXPECT_EQ(NextRun(policy, kPeriod, first), first + 15s);
  EXPECT_EQ(NextRun(policy, kPeriod, first + 1ms), first + 15s) << "however late it began";
  EXPECT_EQ(NextRun(policy, kPeriod, first - 1ms), first);
  EXPECT_EQ(NextRun(policy, kPeriod, first + 40s), first + 45s) << "after it took too long";
  EXPECT_GT(NextRun(policy, kPeriod, SteadyTime(0s)), SteadyTime(0s));
}

TEST(NextRun, SpreadsPoliciesOverThePeriod) {
  std::array<int, 15> in_second{};
  for (int i = 0; i < 3'000; ++i) {
    const auto wait =
        NextRun({"AutoScalePolicy", "shop", "web-" + std::to_string(i)}, kPeriod, SteadyTime(1h)) -
        SteadyTime(1h);
    ++in_second[static_cast<std::size_t>(std::min<std::int64_t>(wait / 1s, 14))];
  }
  for (const int count : in_second) {
    EXPECT_GT(count, 120);
    EXPECT_LT(count, 290);
  }
}

}  // namespace
}  // namespace ballast::controllers
