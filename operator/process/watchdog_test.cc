#include "operator/process/watchdog.h"

#include <gtest/gtest.h>

#include "tests/support/channel.h"

namespace ballast::process {
namespace {

using namespace std::chrono_literals;

TEST(Watchdog, ActsWhenItIsOver) {
  support::Channel<bool> acted;
  const Watchdog watchdog(1ms, [&] { acted.Push(true); });
  EXPECT_TRUE(acted.Pop());
}

TEST(Watchdog, DoesNothingWhenTheScopeEndsBefore) {
  bool acted = false;
  {
    const Watchdog watchdog(1h, [&] { acted = true; });
  }
  EXPECT_FALSE(acted);
}

}  // namespace
}  // namespace ballast::process
