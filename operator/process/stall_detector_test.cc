#include "operator/process/stall_detector.h"

#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"

namespace ballast::process {
namespace {

using namespace std::chrono_literals;

TEST(StallDetector, IsWhatTheProcessMissed) {
  support::FakeClock clock;
  StallDetector stalls(clock);
  const SteadyTime start = clock.Steady();
  const auto pass = [&](std::chrono::nanoseconds span) {
    clock.AwaitSleeper();
    clock.Advance(span);
    clock.AwaitSleeper();
  };
  for (int i = 0; i < 10; ++i) {
    pass(500ms);
  }
  pass(900ms);  // a busy machine
  EXPECT_EQ(stalls.LongestSince(start), 0ns);
  const SteadyTime before = clock.Steady();
  pass(40s);
  pass(5s);
  EXPECT_EQ(stalls.LongestSince(start), 40s);
  EXPECT_EQ(stalls.LongestSince(before), 40s);
  EXPECT_EQ(stalls.LongestSince(before + 30s), 10s) << "that part of it";
  EXPECT_EQ(stalls.LongestSince(before + 41s), 4s);
  EXPECT_EQ(stalls.LongestSince(clock.Steady()), 0ns);
}

}  // namespace
}  // namespace ballast::process
