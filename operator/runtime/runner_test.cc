#include "operator/runtime/runner.h"

#include <gtest/gtest.h>

#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;

class RunnerTest : public testing::Test {
 protected:
  support::FakeClock clock_;
  support::Channel<SteadyTime> turns_;
  SteadyTime due_ = SteadyTime::max();
  Runner runner_{"test", clock_, [this](const std::stop_token&) {
                   const SteadyTime due = due_;
                   turns_.Push(clock_.Steady());
                   return due;
                 }};
};

TEST_F(RunnerTest, TakesATurnWhenItIsDue) {
  const SteadyTime start = clock_.Steady();
  due_ = start + 10s;
  runner_.Start();
  EXPECT_EQ(turns_.Pop(), start);
  EXPECT_EQ(clock_.AwaitSleeper(), 10s);
  clock_.Advance(9s);
  EXPECT_EQ(clock_.AwaitSleeper(), 1s);
  EXPECT_TRUE(turns_.empty());
  clock_.Advance(1s);
  EXPECT_EQ(turns_.Pop(), start + 10s);
}

TEST_F(RunnerTest, TakesATurnAtOnceWhenItIsWoken) {
  runner_.Start();
  EXPECT_TRUE(turns_.Pop());
  for (int i = 0; i < 100; ++i) {
    runner_.Wake();
    EXPECT_TRUE(turns_.Pop());
  }
}

TEST(Runner, AWakeDuringATurnIsNotLost) {
  support::FakeClock clock;
  support::Channel<int> turns;
  Runner* self = nullptr;
  int taken = 0;
  Runner runner("test", clock, [&](const std::stop_token&) {
    if (++taken == 1) {
      self->Wake();
      self->Wake();
    }
    turns.Push(taken);
    return SteadyTime::max();
  });
  self = &runner;
  runner.Start();
  EXPECT_EQ(turns.Pop(), 1);
  EXPECT_EQ(turns.Pop(), 2);
  runner.Stop();
  EXPECT_EQ(taken, 2) << "two wakes are one turn";
}

TEST(Runner, StopWaitsForTheTurnUnderWayAndTakesNoOther) {
  support::FakeClock clock;
  support::Channel<bool> began;
  support::Channel<bool> stopped;
  int ended = 0;
  Runner runner("test", clock, [&](const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [&] { stopped.Push(true); });
    began.Push(true);
    EXPECT_TRUE(stopped.Pop()) << "the turn sees the stop";
    ++ended;
    return SteadyTime::min();
  });
  runner.Start();
  ASSERT_TRUE(began.Pop());
  runner.Stop();
  EXPECT_EQ(ended, 1);
  runner.Wake();
  runner.Stop();
  EXPECT_EQ(ended, 1);
}

TEST(Runner, StopEndsAWaitOfADay) {
  SystemClock clock;
  support::Channel<bool> turns;
  Runner runner("test", clock, [&](const std::stop_token&) {
    turns.Push(true);
    return clock.Steady() + 24h;
  });
  runner.Start();
  EXPECT_TRUE(turns.Pop());
}

TEST(Runner, WaitsByTheSystemsClockToo) {
  SystemClock clock;
  support::Channel<SteadyTime> turns;
  Runner runner("test", clock, [&](const std::stop_token&) {
    turns.Push(clock.Steady());
    return clock.Steady() + 1ms;
  });
  runner.Start();
  const SteadyTime first = *turns.Pop();
  EXPECT_GE(*turns.Pop(), first + 1ms);
}

TEST_F(RunnerTest, NeedsNoStart) {
  runner_.Wake();
  runner_.Stop();
  EXPECT_TRUE(turns_.empty());
}

}  // namespace
}  // namespace ballast::runtime
