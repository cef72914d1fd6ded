#include "operator/runtime/patience.h"

#include <gtest/gtest.h>

#include "tests/support/channel.h"

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;

TEST(Patience, ActsWhenItIsOver) {
  support::Channel<bool> acted;
  const Patience patience(1ms, [&] { acted.Push(true); });
  EXPECT_TRUE(acted.Pop());
}

TEST(Patience, DoesNothingWhenTheScopeEndsBefore) {
  bool acted = false;
  {
    const Patience patience(1h, [&] { acted = true; });
  }
  EXPECT_FALSE(acted);
}

}  // namespace
}  // namespace ballast::runtime
