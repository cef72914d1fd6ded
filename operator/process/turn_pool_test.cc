// What a pool does for many runners; for one, runner_test.cc.
#include "operator/process/turn_pool.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "operator/process/runner.h"
#include "tests/support/channel.h"

namespace ballast::process {
namespace {

using namespace std::chrono_literals;

TEST(TurnPool, TakesTheTurnsOfManyRunnersOnItsThreads) {
  SystemClock clock;
  TurnPool pool("pool", 2, clock);
  support::Channel<std::thread::id> turns;
  std::vector<std::unique_ptr<Runner>> runners;
  for (int number = 0; number < 50; ++number) {
    runners.push_back(std::make_unique<Runner>(
        "runner", clock,
        [&](const std::stop_token&) {
          turns.Push(std::this_thread::get_id());
          return SteadyTime::max();
        },
        &pool));
    runners.back()->Start();
  }
  std::set<std::thread::id> threads;
  for (int number = 0; number < 50; ++number) {
    threads.insert(*turns.Pop());
  }
  EXPECT_LE(threads.size(), 2U);
  for (const auto& runner : runners) {
    runner->Wake();
    threads.insert(*turns.Pop());
  }
  EXPECT_LE(threads.size(), 2U);
}

// One that is always due leaves the others their turns.
TEST(TurnPool, TheOneThatHasBeenDueForLongestIsNext) {
  SystemClock clock;
  TurnPool pool("pool", 1, clock);
  support::Channel<bool> others;
  const auto restless = [](const std::stop_token&) { return SteadyTime::min(); };
  Runner first("first", clock, restless, &pool);
  first.Start();
  const auto other = [&](const std::stop_token&) {
    others.Push(true);
    return clock.Steady() + 1ms;
  };
  Runner second("second", clock, other, &pool);
  second.Start();
  for (int turn = 0; turn < 10; ++turn) {
    EXPECT_TRUE(others.Pop());
  }
}

}  // namespace
}  // namespace ballast::process
