#include "operator/process/log_limiter.h"

#include <gtest/gtest.h>

namespace ballast::log {
namespace {

using namespace std::chrono_literals;

constexpr std::optional<std::uint64_t> kHeld = std::nullopt;

class LimiterTest : public testing::Test {
 protected:
  std::optional<std::uint64_t> Admit(std::string_view message, std::string_view object,
                                     std::string_view cause = "") {
    return limiter_.Admit(message, object, cause, now_);
  }

  Limiter limiter_{3};
  Limiter::SteadyTime now_;
};

TEST_F(LimiterTest, LetsOneAMinuteThroughAndSaysHowManyItHeldBack) {
  EXPECT_EQ(Admit("failed", "a"), 0);
  now_ += 1s;
  EXPECT_EQ(Admit("failed", "a"), kHeld);
  now_ += 58s;
  EXPECT_EQ(Admit("failed", "a"), kHeld);
  now_ += 1s;
  EXPECT_EQ(Admit("failed", "a"), 2);
  EXPECT_EQ(Admit("failed", "a"), kHeld);
  now_ += 1min;
  EXPECT_EQ(Admit("failed", "a"), 1);
  now_ += 1min;
  EXPECT_EQ(Admit("failed", "a"), 0);
}

TEST_F(LimiterTest, TellsMessagesObjectsAndCausesApart) {
  EXPECT_EQ(Admit("failed", "a", "b"), 0);
  EXPECT_EQ(Admit("failed", "a", "c"), 0);
  EXPECT_EQ(Admit("failed", "ab", ""), 0) << "not the same as a and b";
  EXPECT_EQ(Admit("failed", "a", "b"), kHeld);
}

TEST_F(LimiterTest, IsBoundedAndStillOnceAMinute) {
  for (const char* object : {"a", "b", "c"}) {
    EXPECT_EQ(Admit("failed", object), 0);
  }
  // They share the message's entry.
  EXPECT_EQ(Admit("failed", "d"), 0);
  EXPECT_EQ(Admit("failed", "e"), kHeld);
  EXPECT_EQ(Admit("failed", "d"), kHeld);
  EXPECT_EQ(Admit("another", "d"), 0);
  EXPECT_EQ(Admit("failed", "a"), kHeld) << "who has a place keeps it";
  now_ += 1min;
  EXPECT_EQ(Admit("failed", "f"), 2) << "shared until places are free again";
}

TEST_F(LimiterTest, GivesTheOldestPlaceAway) {
  EXPECT_EQ(Admit("failed", "a"), 0);
  now_ += 30s;
  EXPECT_EQ(Admit("failed", "b"), 0);
  EXPECT_EQ(Admit("failed", "c"), 0);
  now_ += 30s;
  EXPECT_EQ(Admit("failed", "d"), 0);
  EXPECT_EQ(Admit("failed", "b"), kHeld);
  now_ += 30s;
  EXPECT_EQ(Admit("failed", "a"), 0) << "it was forgotten";
}

}  // namespace
}  // namespace ballast::log
