#include "operator/runtime/clock.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/fake_clock.h"

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;

TEST(SleepFor, EndsWhenTheTimeHasCome) {
  support::FakeClock clock;
  std::thread sleeper([&] { SleepFor(clock, 10s, {}); });
  EXPECT_EQ(clock.AwaitSleeper(), 10s);
  clock.Advance(9s);
  EXPECT_EQ(clock.AwaitSleeper(), 1s);
  clock.Advance(1s);
  sleeper.join();
}

TEST(SleepFor, EndsWhenStopIsRequested) {
  SystemClock clock;
  std::jthread sleeper([&](const std::stop_token& stop) { SleepFor(clock, 24h, stop); });
  sleeper.request_stop();
}

TEST(SystemClock, GoesOn) {
  SystemClock clock;
  const SteadyTime before = clock.Steady();
  SleepFor(clock, 1ms, {});
  EXPECT_GE(clock.Steady() - before, 1ms);
  EXPECT_GT(clock.Now().unix_seconds(), 1'700'000'000);
}

}  // namespace
}  // namespace ballast::runtime
