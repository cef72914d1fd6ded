#include "operator/os/signals.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <string>

#include "tests/support/channel.h"

namespace ballast::os {
namespace {

void AwaitStop(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait(lock, stop, [] { return false; });
}

TEST(Signals, TheFirstSignalAsks) {
  const Signals signals;
  EXPECT_FALSE(signals.token().stop_requested());
  raise(SIGTERM);
  AwaitStop(signals.token());
  EXPECT_TRUE(signals.token().stop_requested());
}

TEST(Signals, TheSecondEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Signals signals;
        raise(SIGTERM);
        AwaitStop(signals.token());
        raise(SIGINT);
      },
      testing::ExitedWithCode(128 + SIGINT), "");
}

TEST(Signals, CallsForEachSignalOfTheUser) {
  support::Channel<std::string> calls;
  const Signals signals({.usr1 = [&] { calls.Push("usr1"); }, .usr2 = [&] { calls.Push("usr2"); }});
  for (const int signal : {SIGUSR1, SIGUSR2, SIGUSR1}) {
    raise(signal);
    EXPECT_EQ(calls.Pop(), signal == SIGUSR1 ? "usr1" : "usr2");
  }
  EXPECT_FALSE(signals.token().stop_requested());
  raise(SIGTERM);
  AwaitStop(signals.token());
  raise(SIGUSR2);
  EXPECT_EQ(calls.Pop(), "usr2") << "also while the program ends";
}

TEST(Signals, PutsTheFormerHandlersBack) {
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    { const Signals signals; }
    struct sigaction after {};
    sigaction(signal, nullptr, &after);
    EXPECT_EQ(before.sa_handler, after.sa_handler);
  }
}

}  // namespace
}  // namespace ballast::os
