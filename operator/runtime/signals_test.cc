#include "operator/runtime/signals.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

namespace ballast::runtime {
namespace {

void AwaitStop(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait(lock, stop, [] { return false; });
}

TEST(StopOnSignal, TheFirstSignalAsks) {
  const StopOnSignal stop;
  EXPECT_FALSE(stop.token().stop_requested());
  raise(SIGTERM);
  AwaitStop(stop.token());
  EXPECT_TRUE(stop.token().stop_requested());
}

TEST(StopOnSignal, TheSecondEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const StopOnSignal stop;
        raise(SIGTERM);
        AwaitStop(stop.token());
        raise(SIGINT);
      },
      testing::ExitedWithCode(128 + SIGINT), "");
}

TEST(StopOnSignal, PutsTheFormerHandlersBack) {
  struct sigaction before {};
  sigaction(SIGTERM, nullptr, &before);
  { const StopOnSignal stop; }
  struct sigaction after {};
  sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

}  // namespace
}  // namespace ballast::runtime
