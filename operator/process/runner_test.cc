#include "operator/process/runner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <memory>

#include "operator/process/turn_pool.h"
#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"

namespace ballast::process {
namespace {

using namespace std::chrono_literals;

// With the number of threads of the pool that takes its turns; 0: it has a thread of its own.
class RunnerTest : public testing::TestWithParam<std::size_t> {
 protected:
  static std::unique_ptr<TurnPool> MakePool(Clock& clock) {
    return GetParam() == 0 ? nullptr : std::make_unique<TurnPool>("pool", GetParam(), clock);
  }

  support::FakeClock clock_;
  support::Channel<SteadyTime> turns_;
  SteadyTime due_ = SteadyTime::max();
  const std::unique_ptr<TurnPool> pool_ = MakePool(clock_);
  Runner runner_{"test", clock_,
                 [this](const std::stop_token&) {
                   const SteadyTime due = due_;
                   turns_.Push(clock_.Steady());
                   return due;
                 },
                 pool_.get()};
};

INSTANTIATE_TEST_SUITE_P(Threads, RunnerTest, testing::Values(0, 1, 2));

TEST_P(RunnerTest, TakesATurnWhenItIsDue) {
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

TEST_P(RunnerTest, TakesATurnAtOnceWhenItIsWoken) {
  runner_.Start();
  EXPECT_TRUE(turns_.Pop());
  for (int i = 0; i < 100; ++i) {
    runner_.Wake();
    EXPECT_TRUE(turns_.Pop());
  }
}

TEST_P(RunnerTest, AWakeDuringATurnIsNotLost) {
  SystemClock clock;
  const auto pool = MakePool(clock);
  support::Channel<int> turns;
  std::atomic<bool> overlap = false;
  std::atomic<int> under_way = 0;
  Runner* self = nullptr;
  int taken = 0;
  const auto turn = [&](const std::stop_token&) {
    overlap = overlap || ++under_way > 1;
    if (++taken == 1) {
      self->Wake();
      self->Wake();
    }
    turns.Push(taken);
    --under_way;
    return SteadyTime::max();
  };
  Runner runner("test", clock, turn, pool.get());
  self = &runner;
  runner.Start();
  EXPECT_EQ(turns.Pop(), 1);
  EXPECT_EQ(turns.Pop(), 2);
  runner.Stop();
  EXPECT_EQ(taken, 2) << "two wakes are one turn";
  EXPECT_FALSE(overlap);
}

TEST_P(RunnerTest, StopWaitsForTheTurnUnderWayAndTakesNoOther) {
  SystemClock clock;
  const auto pool = MakePool(clock);
  support::Channel<bool> began;
  support::Channel<bool> stopped;
  int ended = 0;
  const auto turn = [&](const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [&] { stopped.Push(true); });
    began.Push(true);
    EXPECT_TRUE(stopped.Pop()) << "the turn sees the stop";
    ++ended;
    return SteadyTime::min();
  };
  Runner runner("test", clock, turn, pool.get());
  runner.Start();
  ASSERT_TRUE(began.Pop());
  runner.Stop();
  EXPECT_EQ(ended, 1);
  runner.Wake();
  runner.Stop();
  EXPECT_EQ(ended, 1);
}

TEST_P(RunnerTest, StopEndsAWaitOfADay) {
  SystemClock clock;
  const auto pool = MakePool(clock);
  support::Channel<bool> turns;
  const auto turn = [&](const std::stop_token&) {
    turns.Push(true);
    return clock.Steady() + 24h;
  };
  Runner runner("test", clock, turn, pool.get());
  runner.Start();
  EXPECT_TRUE(turns.Pop());
}

TEST_P(RunnerTest, WaitsByTheSystemsClockToo) {
  SystemClock clock;
  const auto pool = MakePool(clock);
  support::Channel<SteadyTime> turns;
  const auto turn = [&](const std::stop_token&) {
    turns.Push(clock.Steady());
    return clock.Steady() + 1ms;
  };
  Runner runner("test", clock, turn, pool.get());
  runner.Start();
  const SteadyTime first = *turns.Pop();
  EXPECT_GE(*turns.Pop(), first + 1ms);
}

TEST_P(RunnerTest, NeedsNoStart) {
  runner_.Wake();
  runner_.Stop();
  EXPECT_TRUE(turns_.empty());
}

}  // namespace
}  // namespace ballast::process
