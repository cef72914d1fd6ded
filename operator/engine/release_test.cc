#include "operator/engine/release.h"

#include <gtest/gtest.h>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using testing::kNow;
using testing::MakePolicy;
using testing::QueueOf;

api::Behavior Rates(api::ScalingPolicy up, api::ScalingPolicy down, std::int32_t window) {
  api::Behavior behavior;
  behavior.scale_up = api::ScalingRules{0, "Max", {{up}}, {}};
  behavior.scale_down = api::ScalingRules{window, "Max", {{down}}, {}};
  return behavior;
}

struct Case {
  const char* name;
  std::optional<api::Behavior> behavior;
  Memory memory;
  const char* queue;                  // the target is 10 per replica; there are 8 replicas
  std::optional<std::int64_t> after;  // nanoseconds; absent: no release
  std::int32_t replicas = 0;
};

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(Release, IsWhenTimeAloneChangesTheCount) {
  const api::Behavior behavior = Rates({"Pods", 2, 60}, {"Pods", 1, 30}, 120);
  const Case kCases[] = {
      {"content", behavior, {{{Ago(15), 8}}, {}, {}, {}}, "80", {}},
      {"a window", behavior, {{{Ago(100), 8}}, {}, {}, {}}, "40", 20 * kSecond, 7},
      {"the latest of two",
       behavior,
       {{{Ago(100), 8}, {Ago(50), 9}}, {}, {}, {}},
       "40",
       70 * kSecond,
       7},
      {"a window without behavior", {}, {{{Ago(100), 8}}, {}, {}, {}}, "40", 200 * kSecond + 1, 4},
      {"a rate", behavior, {{{Ago(15), 8}}, {{Ago(50), 2}}, {}, {}}, "200", 10 * kSecond, 10},
      {"a rate, in part",
       behavior,
       {{{Ago(15), 8}}, {{Ago(50), 1}, {Ago(20), 1}}, {}, {}},
       "200",
       10 * kSecond,
       9},
      {"a step that is taken now, and the next",
       behavior,
       {{{Ago(15), 8}}, {}, {}, {}},
       "200",
       60 * kSecond,
       12},
      {"a rate of scaling in",
       behavior,
       {{{Ago(200), 8}}, {}, {{Ago(10), 1}}, {}},
       "10",
       20 * kSecond,
       7},
      {"a window, then a rate",
       behavior,
       {{{Ago(110), 8}}, {}, {{Ago(1), 1}}, {}},
       "10",
       29 * kSecond,
       7},
      {"one step after the other without behavior", {}, {{{Ago(15), 8}}, {}, {}, {}}, "5000", {}},
  };
  for (const Case& c : kCases) {
    Snapshot snapshot = MakePolicy(8);
    snapshot.autoscaler.spec.behavior = c.behavior;
    snapshot.memory = c.memory;
    snapshot.metrics = {QueueOf(c.queue)};
    const auto release = testing::Evaluate(snapshot).release;
    EXPECT_EQ(release ? std::optional((release->at - kNow).nanoseconds) : std::nullopt, c.after)
        << c.name;
    if (release) {
      EXPECT_EQ(release->replicas, c.replicas) << c.name;
    }
  }
}

TEST(Release, OfWhatTheMaximumHoldsNeverComes) {
  Snapshot snapshot = MakePolicy(20);
  snapshot.metrics = {QueueOf("5000")};
  EXPECT_FALSE(testing::Evaluate(snapshot).release);
}

// The metrics ask for the 8 replicas that there are.
TEST(Release, OfACountThatNoBoundMovesNeverComes) {
  const struct {
    const char* about;
    std::optional<std::int32_t> floor;  // of a schedule, for the next minute
    std::optional<std::int32_t> ceiling;
    std::int64_t starts;      // seconds from now
    std::int32_t remembered;  // recommended lately
    std::optional<std::int64_t> after;
    std::int32_t replicas;
  } kCases[] = {
      {"a floor below", 5, {}, -60, 8, {}, 0},
      {"a floor of as many", 8, {}, -60, 8, {}, 0},
      {"a ceiling above", {}, 9, -60, 8, {}, 0},
      {"a ceiling to come", {}, 6, 30, 8, 30, 6},
      {"a ceiling that has kept more away", {}, 8, -60, 10, 60, 10},
      {"and one that has not", {}, 8, -60, 8, {}, 0},
  };
  for (const auto& c : kCases) {
    Snapshot snapshot = MakePolicy(8);
    snapshot.memory = Memory{{{Ago(15), c.remembered}}, {}, {}, {}};
    snapshot.metrics = {QueueOf("80")};
    snapshot.schedules.emplace().windows = {{.name = "w",
                                             .time_zone = "UTC",
                                             .start = Ago(-c.starts),
                                             .end = Ago(-60),
                                             .min_replicas = c.floor,
                                             .max_replicas = c.ceiling}};
    const auto release = testing::Evaluate(snapshot).release;
    EXPECT_EQ(release ? std::optional((release->at - kNow).nanoseconds / kSecond) : std::nullopt,
              c.after)
        << c.about;
    EXPECT_EQ(release ? release->replicas : 0, c.replicas) << c.about;
  }
}

// Evaluates 1 ns before the release and at it.
TEST(Release, IsTheFirstMomentAtWhichAnEvaluationComesToAnotherCount) {
  Snapshot snapshot = MakePolicy(8);
  snapshot.autoscaler.spec.behavior = Rates({"Pods", 2, 60}, {"Pods", 1, 30}, 120);
  snapshot.memory = Memory{{{Ago(110), 8}}, {}, {{Ago(1), 1}}, {}};
  snapshot.metrics = {QueueOf("10")};
  const Conclusion conclusion = testing::Evaluate(snapshot);
  ASSERT_TRUE(conclusion.release);
  snapshot.memory = conclusion.memory;
  for (const std::int64_t shift : {-1, 0}) {
    snapshot.now = conclusion.release->at + Duration{shift};
    EXPECT_EQ(Decide(snapshot).rescale, shift == 0) << shift;
  }
}

}  // namespace
}  // namespace ballast::engine
