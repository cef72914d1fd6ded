#include "operator/engine/rate_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using ::testing::ElementsAre;
using testing::kNow;

api::ScalingRules Rule(const char* select, std::vector<api::ScalingPolicy> policies) {
  return {0, select, std::move(policies), {}};
}

TEST(LimitByDefault, BoundsAndTheScaleUpLimit) {
  const Bounds bounds{2, 50};
  const struct {
    std::int32_t desired, limit, limited;
    const char* reason;
  } kCases[] = {{7, 10, 7, "DesiredWithinRange"},
                {1, 10, 2, "TooFewReplicas"},
                {11, 10, 10, "ScaleUpLimit"},
                {70, 60, 50, "TooManyReplicas"}};
  for (const auto& c : kCases) {
    const Limited limited = LimitByDefault(c.desired, c.limit, bounds);
    EXPECT_EQ(limited.replicas, c.limited) << c.desired;
    EXPECT_EQ(limited.reason, c.reason) << c.desired;
  }
}

TEST(LimitByBehavior, FloatsDecideAsUpstreams) {
  const struct {
    std::int32_t current, percent, up, down;
  } kCases[] = {{100, 10, 111, 90}, {50, 10, 56, 45}, {10, 90, 19, 0}, {100, 90, 190, 9}};
  for (const auto& c : kCases) {
    const api::Behavior behavior{Rule("Max", {{"Percent", c.percent, 60}}),
                                 Rule("Max", {{"Percent", c.percent, 60}})};
    const Bounds bounds{-1, 10'000};
    EXPECT_EQ(LimitByBehavior(c.current, 9'999, bounds, behavior, {}, kNow, kNoQuirks).replicas,
              c.up)
        << c.current << " +" << c.percent << "%";
    EXPECT_EQ(LimitByBehavior(c.current, -1, bounds, behavior, {}, kNow, kNoQuirks).replicas,
              c.down)
        << c.current << " -" << c.percent << "%";
  }
}

TEST(LimitByBehavior, EventsOfThePeriodCount) {
  const api::Behavior behavior{Rule("Max", {{"Pods", 4, 60}}), Rule("Max", {{"Pods", 4, 60}})};
  const Bounds bounds{1, 100};
  const struct {
    const char* name;
    Memory memory;
    std::int32_t up, down;
  } kCases[] = {
      {"none", {}, 14, 6},
      {"added within", {{}, {{Ago(59), 3}}, {}, {}}, 11, 3},
      {"added just outside", {{}, {{Ago(60), 3}}, {}, {}}, 14, 6},
      {"removed within", {{}, {}, {{Ago(59), 3}}, {}}, 17, 9},
      {"more than allowed", {{}, {{Ago(5), 9}}, {}, {}}, 10, 1},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(LimitByBehavior(10, 99, bounds, behavior, c.memory, kNow, kNoQuirks).replicas, c.up)
        << c.name;
    EXPECT_EQ(LimitByBehavior(10, 1, bounds, behavior, c.memory, kNow, kNoQuirks).replicas, c.down)
        << c.name;
  }
}

TEST(LimitByBehavior, SelectPolicy) {
  const std::vector<api::ScalingPolicy> both = {{"Pods", 1, 60}, {"Percent", 50, 60}};
  const struct {
    const char* select;
    std::int32_t up, down;
  } kCases[] = {{"Max", 15, 5}, {"Min", 11, 9}, {"Disabled", 10, 10}, {"odd", 15, 5}};
  for (const auto& c : kCases) {
    const api::Behavior behavior{Rule(c.select, both), Rule(c.select, both)};
    EXPECT_EQ(LimitByBehavior(10, 99, {1, 100}, behavior, {}, kNow, kNoQuirks).replicas, c.up)
        << c.select;
    EXPECT_EQ(LimitByBehavior(10, 1, {1, 100}, behavior, {}, kNow, kNoQuirks).replicas, c.down)
        << c.select;
  }
}

TEST(LimitByBehavior, AnUnknownPolicyRepeatsTheOneBefore) {
  const api::Behavior behavior{Rule("Min", {{"Pods", 5, 60}, {"Odd", 1, 60}}), {}};
  EXPECT_EQ(LimitByBehavior(10, 99, {1, 100}, behavior, {}, kNow, kNoQuirks).replicas, 15);
}

TEST(LimitByBehavior, APercentageOfNoneIsOne) {
  const struct {
    const char* name;
    const char* select;
    std::vector<api::ScalingPolicy> policies;
    Memory memory;
    std::int32_t policy, hpa;
  } kCases[] = {
      {"percent", "Max", {{"Percent", 50, 60}}, {}, 1, 0},
      {"the lesser", "Min", {{"Pods", 4, 60}, {"Percent", 100, 60}}, {}, 1, 0},
      {"the greater", "Max", {{"Pods", 4, 60}, {"Percent", 100, 60}}, {}, 4, 4},
      {"of what was there", "Max", {{"Percent", 50, 60}}, {{}, {}, {{Ago(5), 3}}, {}}, 5, 5},
      {"disabled", "Disabled", {{"Percent", 50, 60}}, {}, 0, 0},
  };
  for (const auto& c : kCases) {
    const api::Behavior behavior{Rule(c.select, c.policies), {}};
    EXPECT_EQ(LimitByBehavior(0, 9, {0, 100}, behavior, c.memory, kNow, kNoQuirks).replicas,
              c.policy)
        << c.name;
    EXPECT_EQ(LimitByBehavior(0, 9, {0, 100}, behavior, c.memory, kNow, kQuirksOf136).replicas,
              c.hpa)
        << c.name;
  }
}

TEST(RecordScaleEvent, UsesTheLastOutdatedSlotAgain) {
  const api::Behavior behavior{Rule("Max", {{"Pods", 1, 60}, {"Pods", 1, 30}}), {}};
  Memory memory{{}, {{Ago(61), 1}, {Ago(100), 2}, {Ago(60), 3}}, {}, {}};
  RecordScaleEvent(memory, behavior, 3, 7, kNow);
  EXPECT_THAT(memory.scale_ups,
              ElementsAre(ScaleEvent{Ago(61), 1}, ScaleEvent{kNow, 4}, ScaleEvent{Ago(60), 3}));
  RecordScaleEvent(memory, behavior, 7, 2, kNow);
  EXPECT_THAT(memory.scale_downs, ElementsAre(ScaleEvent{kNow, 5}));
  RecordScaleEvent(memory, std::nullopt, 7, 2, kNow);
  EXPECT_EQ(memory.scale_downs.size(), 1u) << "nothing is remembered without a behavior";
}

}  // namespace
}  // namespace ballast::engine
