#include "operator/process/backoff.h"

#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"

namespace ballast::process {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, DoublesUpToTheCap) {
  const support::FakeClock clock;
  Backoff backoff(clock, {}, [] { return 0.0; });
  for (const auto expected : {800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30000ms, 30000ms}) {
    EXPECT_EQ(backoff.Next(), expected);
  }
}

TEST(Backoff, StartsAgainAfterTwoHealthyMinutes) {
  support::FakeClock clock;
  Backoff backoff(clock, {}, [] { return 0.0; });
  EXPECT_EQ(backoff.Next(), 800ms);
  EXPECT_EQ(backoff.Next(), 1600ms);
  clock.Advance(1600ms + 119s);
  EXPECT_EQ(backoff.Next(), 3200ms);
  clock.Advance(3200ms + 120s);
  EXPECT_EQ(backoff.Next(), 800ms);
}

TEST(Backoff, JitterAddsUpToTheSameAgain) {
  const support::FakeClock clock;
  Backoff backoff(clock, {}, [] { return 0.5; });
  EXPECT_EQ(backoff.Next(), 1200ms);
  Backoff unpredictable(clock);
  const auto wait = unpredictable.Next();
  EXPECT_GE(wait, 800ms);
  EXPECT_LT(wait, 1600ms);
}

}  // namespace
}  // namespace ballast::process
