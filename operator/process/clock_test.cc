#include "operator/process/clock.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

namespace ballast::process {
namespace {

using namespace std::chrono_literals;

TEST(SystemClock, GoesOn) {
  SystemClock clock;
  const SteadyTime before = clock.Steady();
  std::mutex mutex;
  std::condition_variable wake;
  std::unique_lock lock(mutex);
  while (clock.Steady() < before + 1ms) {
    clock.WaitUntil(lock, wake, before + 1ms);
  }
  EXPECT_GE(clock.Steady() - before, 1ms);
  EXPECT_GT(clock.Now().unix_seconds(), 1'700'000'000);
}

}  // namespace
}  // namespace ballast::process
