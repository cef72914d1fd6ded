#include "operator/session/removed_overrides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ballast::session {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Time kNoon{1'772'625'600, 0};

Time At(std::int64_t minutes) { return kNoon + Duration::Seconds(minutes * 60); }

engine::ScheduleWindow Floor(const std::string& name, std::int64_t from, std::int64_t to) {
  return {.name = name, .start = At(from), .end = At(to), .min_replicas = 5};
}

// Minutes after noon, with a scale-down window of five.
class RemovedOverridesTest : public testing::Test {
 protected:
  // "a [0,60)" of each that the engine has.
  std::vector<std::string> Evaluate(std::int64_t minute,
                                    std::vector<engine::ScheduleWindow> overrides) {
    engine::Snapshot snapshot{.now = At(minute)};
    snapshot.overrides = std::move(overrides);
    removed_.Complete(snapshot);
    std::vector<std::string> printed;
    const auto minutes = [](Time time) {
      return std::to_string((time - kNoon).nanoseconds / 60'000'000'000);
    };
    for (const engine::ScheduleWindow& window : snapshot.overrides) {
      printed.push_back(window.name + " [" + minutes(window.start) + "," + minutes(*window.end) +
                        ")");
    }
    return printed;
  }

  RemovedOverrides removed_;
};

TEST_F(RemovedOverridesTest, OneThatIsRemovedHasEndedForAWindow) {
  const auto floor = Floor("a", 0, 60);
  EXPECT_THAT(Evaluate(1, {floor}), ElementsAre("a [0,60)"));
  EXPECT_THAT(Evaluate(2, {floor}), ElementsAre("a [0,60)"));
  EXPECT_THAT(Evaluate(3, {}), ElementsAre("a [0,3)"));
  EXPECT_THAT(Evaluate(7, {Floor("b", 6, 60)}), ElementsAre("b [6,60)", "a [0,3)"));
  EXPECT_THAT(Evaluate(8, {Floor("b", 6, 60)}), ElementsAre("b [6,60)"));
}

TEST_F(RemovedOverridesTest, OneThatHadEndedEndsNoLater) {
  EXPECT_THAT(Evaluate(1, {Floor("a", 0, 2)}), ElementsAre("a [0,2)"));
  EXPECT_THAT(Evaluate(4, {}), ElementsAre("a [0,2)"));
  EXPECT_THAT(Evaluate(7, {}), IsEmpty());
}

TEST_F(RemovedOverridesTest, NoneCountsAgainWhereTheClockIsSetBack) {
  Evaluate(1, {Floor("a", 0, 60)});
  EXPECT_THAT(Evaluate(30, {}), ElementsAre("a [0,30)"));
  EXPECT_THAT(Evaluate(10, {}), ElementsAre("a [0,10)"));
  EXPECT_THAT(Evaluate(15, {}), IsEmpty());
}

// As by a script that makes and deletes one after another. Those that still keep something stay.
TEST_F(RemovedOverridesTest, TheyDoNotPileUp) {
  auto high = Floor("high", 0, 60);
  high.min_replicas = 6;
  auto zero = Floor("zero", 0, 60);
  zero.min_replicas.reset();
  zero.max_replicas = 0;
  auto pin = zero;
  pin.name = "pin";
  pin.max_replicas.reset();
  pin.pin = 7;
  Evaluate(0, {pin});
  Evaluate(1, {high, zero});
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_LE(Evaluate(2, {Floor("floor-" + std::to_string(i), 0, 60)}).size(),
              RemovedOverrides::kMost + 1);
  }
  const auto left = Evaluate(3, {});
  EXPECT_THAT(left, ::testing::IsSupersetOf({"pin [0,1)", "high [0,2)", "zero [0,2)"}));
  EXPECT_LE(left.size(), RemovedOverrides::kMost);
}

TEST_F(RemovedOverridesTest, WhatNeverCountedOrIsAHoldIsGone) {
  engine::ScheduleWindow hold = Floor("hold", 0, 60);
  hold.min_replicas.reset();
  hold.hold = "All";
  Evaluate(1, {Floor("later", 2, 60), hold});
  EXPECT_THAT(Evaluate(2, {}), IsEmpty());
}

// Its window is shorter, but it is there.
TEST_F(RemovedOverridesTest, OneThatIsSupersededIsNotRemoved) {
  Evaluate(1, {Floor("a", 0, 60)});
  EXPECT_THAT(Evaluate(2, {Floor("a", 0, 2), Floor("b", 2, 10), Floor("a", 10, 60)}),
              ElementsAre("a [0,2)", "b [2,10)", "a [10,60)"));
  EXPECT_THAT(Evaluate(3, {Floor("a", 0, 60)}), ElementsAre("a [0,60)", "b [2,3)"));
}

}  // namespace
}  // namespace ballast::session
