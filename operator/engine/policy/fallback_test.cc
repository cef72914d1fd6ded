#include "operator/engine/policy/fallback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "api/autoscaling/pause_annotation.h"
#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using ::testing::ElementsAre;
using testing::Evaluate;
using ::testing::Field;
using testing::FindCondition;
using ::testing::HasSubstr;
using testing::kNow;

// A policy with a fallback of `replicas` whose only metric failed first 15 s ago, after a value 30
// s ago.
Snapshot Failing(std::int32_t current, std::int32_t replicas) {
  Snapshot snapshot = testing::MakePolicy(current);
  snapshot.autoscaler.spec.fallback.emplace();
  snapshot.autoscaler.spec.fallback->after_seconds = 30;
  snapshot.autoscaler.spec.fallback->replicas = replicas;
  snapshot.metrics = {Failure{"no such metric"}};
  snapshot.memory = Memory{{{Ago(30), current}}, {}, {}, {}};
  snapshot.memory->no_value_since = Ago(30);
  snapshot.last_evaluation = Ago(15);
  return snapshot;
}

api::Fallback& FallbackOf(Snapshot& snapshot) { return *snapshot.autoscaler.spec.fallback; }

TEST(Fallback, CountsAsItsBehaviorSays) {
  const struct {
    const char* behavior;
    std::int32_t current;
    std::int32_t replicas;
    std::int32_t count;
    std::int32_t may_scale_in;
  } kCases[] = {
      {"Static", 4, 6, 6, 6},
      {"Static", 4, 4, 4, 4},
      {"Static", 4, 2, 4, 2},
      {"CurrentReplicas", 4, 6, 4, 4},
      {"CurrentReplicas", 4, 2, 4, 4},
      {"CurrentReplicasIfHigher", 4, 6, 6, 6},
      {"CurrentReplicasIfHigher", 4, 2, 4, 4},
      {"CurrentReplicasIfLower", 4, 6, 4, 4},
      {"CurrentReplicasIfLower", 4, 2, 4, 2},
  };
  for (const auto& c : kCases) {
    for (const bool allow : {false, true}) {
      const api::Fallback fallback{
          .replicas = c.replicas, .behavior = c.behavior, .allow_scale_in = allow};
      EXPECT_EQ(CountOf(fallback, c.current), allow ? c.may_scale_in : c.count)
          << c.behavior << " " << c.current << " " << c.replicas << " " << allow;
    }
  }
  EXPECT_EQ(CountOf({.replicas = 6}, 4), 6) << "Static is the default";
  EXPECT_EQ(CountOf({.behavior = "CurrentReplicas"}, 4), 4);
}

// Not while the pods of a workload that was just deployed have no metrics yet.
TEST(Fallback, CountsFromThreePeriodsOnAndNotBeforeTwoMinutes) {
  const struct {
    std::optional<std::int32_t> after;
    std::optional<std::int32_t> period;
    std::int64_t seconds;
  } kCases[] = {{7, 60, 7}, {{}, 60, 180}, {{}, {}, 120}, {{}, 1, 120}};
  Settings settings;
  settings.sync_period = Duration::Seconds(20);
  for (const auto& c : kCases) {
    api::AutoscalerSpec spec;
    spec.sync_period_seconds = c.period;
    EXPECT_EQ(FallbackDelay({.after_seconds = c.after}, spec, settings),
              Duration::Seconds(c.seconds));
  }
}

TEST(Fallback, TakesTheMetricsPlace) {
  const Conclusion conclusion = Evaluate(Failing(4, 6));
  EXPECT_EQ(conclusion.status.desired_replicas, 6);
  const std::string said =
      "No metric has given a value since 2026-03-04T11:59:30Z, so spec.fallback asks for 6 "
      "replicas";
  EXPECT_EQ(conclusion.events.back().message, "New size: 6; reason: " + said);
  EXPECT_EQ(FindCondition(conclusion.status, "Held")->reason, "Fallback");
  EXPECT_EQ(FindCondition(conclusion.status, "Held")->message, said);
  EXPECT_EQ(FindCondition(conclusion.status, "ScalingActive")->status, "False");
  EXPECT_EQ(FindCondition(conclusion.status, "Ready")->status, "False");
  EXPECT_EQ(BindingStep(conclusion.trace)->rule, Rule::kFallback);
  EXPECT_THAT(conclusion.memory.recommendations, ElementsAre(Recommendation{Ago(30), 4}))
      << "its count is no recommendation";
  EXPECT_EQ(conclusion.memory.no_value_since, Ago(30));
}

// Nobody knows then what the metrics say: they were not asked.
TEST(Fallback, CountsNotForPodsThatCannotBeRead) {
  Snapshot unreadable = Failing(4, 6);
  unreadable.pods = Failure{"the watch of pods has no list"};
  Snapshot unselected = Failing(4, 6);
  std::get<api::Scale>(unselected.scale).selector = "";
  unselected.autoscaler.spec.metrics = {testing::CpuMetric()};
  EXPECT_TRUE(Evaluate(Failing(4, 6)).rescale);
  for (const Snapshot& snapshot : {unreadable, unselected}) {
    const Conclusion conclusion = Evaluate(snapshot);
    EXPECT_FALSE(conclusion.rescale);
    const auto* const held = FindCondition(conclusion.status, "Held");
    EXPECT_FALSE(held != nullptr && held->reason == "Fallback");
  }
}

TEST(Fallback, WaitsUntilTheMoment) {
  Snapshot snapshot = Failing(4, 6);
  snapshot.memory->no_value_since = kNow - Duration::Seconds(30) + Duration{1};
  const Conclusion conclusion = Evaluate(snapshot);
  EXPECT_FALSE(conclusion.rescale);
  EXPECT_EQ(FindCondition(conclusion.status, "Held")->status, "False");
  EXPECT_THAT(conclusion.trace,
              ::testing::Contains(Field(&Step::text, HasSubstr("spec.fallback counts from"))));
  ASSERT_TRUE(conclusion.release);
  EXPECT_EQ(conclusion.release->at, kNow + Duration{1});
  EXPECT_EQ(conclusion.release->replicas, 6);
}

TEST(Fallback, KnowsWhenAMetricLastGaveAValue) {
  const struct {
    const char* name;
    std::optional<Time> remembered;
    std::optional<Time> last_evaluation;
    bool interrupted;
    Time since;
  } kCases[] = {
      {"remembered", Ago(90), Ago(15), false, Ago(90)},
      {"remembered before an interruption", Ago(900), Ago(600), true, Ago(900)},
      {"at the last evaluation", {}, Ago(15), false, Ago(15)},
      {"before an interruption", {}, Ago(600), true, kNow},
      {"never", {}, {}, false, kNow},
      {"by a clock that was ahead", Ago(-60), Ago(15), false, kNow},
  };
  for (const auto& c : kCases) {
    Snapshot snapshot = Failing(4, 6);
    snapshot.memory->no_value_since = c.remembered;
    snapshot.last_evaluation = c.last_evaluation;
    snapshot.interrupted = c.interrupted;
    EXPECT_EQ(Evaluate(snapshot).memory.no_value_since, c.since) << c.name;
  }
}

TEST(Fallback, EndsWithTheFirstValue) {
  Snapshot snapshot = Failing(4, 6);
  snapshot.autoscaler.spec.metrics.push_back(testing::QueueMetric());
  snapshot.autoscaler.spec.metrics[1].external->metric.name = "other";
  snapshot.metrics.push_back(testing::QueueOf("10"));  // would do with one
  const Conclusion conclusion = Evaluate(snapshot);
  EXPECT_FALSE(conclusion.rescale) << "a metric that fails beside it never lowers the count";
  EXPECT_EQ(conclusion.memory.no_value_since, std::nullopt);
  EXPECT_EQ(FindCondition(conclusion.status, "Held")->status, "False");
  EXPECT_EQ(conclusion.release, std::nullopt);
}

TEST(Fallback, IsSubjectToWindowsRatesAndBounds) {
  Snapshot snapshot = Failing(4, 30);
  EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, 8) << "at most twice as many";
  snapshot.autoscaler.spec.behavior.emplace().scale_up.emplace().policies = {{"Pods", 1, 60}};
  EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, 5);
  snapshot.memory->scale_ups = {{Ago(20), 1}};
  const Conclusion limited = Evaluate(snapshot);
  EXPECT_EQ(limited.status.desired_replicas, 4);
  ASSERT_TRUE(limited.release);
  EXPECT_EQ(limited.release->at, Ago(20) + Duration::Seconds(60));

  Snapshot in = Failing(4, 2);
  FallbackOf(in).allow_scale_in = true;
  EXPECT_EQ(Evaluate(in).status.desired_replicas, 4) << "4 were recommended 30 s ago";
  in.memory->recommendations = {{Ago(301), 4}};
  EXPECT_EQ(Evaluate(in).status.desired_replicas, 2);
  EXPECT_THAT(Evaluate(in).memory.recommendations, ElementsAre(Recommendation{Ago(301), 4}));
  in.autoscaler.spec.min_replicas = 3;
  EXPECT_EQ(Evaluate(in).status.desired_replicas, 3);
}

TEST(Fallback, ComesAfterPauseHoldsModeAndTheZeroOfOthers) {
  Snapshot paused = Failing(4, 6);
  paused.autoscaler.metadata.annotations = {{api::kPausedUntil, Print(Ago(-600))}};
  EXPECT_FALSE(Evaluate(paused).rescale);
  EXPECT_EQ(FindCondition(Evaluate(paused).status, "Held")->reason, api::kPaused);
  FallbackOf(paused).replicas = 4;  // the pause has nothing to hold
  EXPECT_EQ(FindCondition(Evaluate(paused).status, "Held")->reason, api::kPaused);

  Snapshot unsettled = Failing(4, 6);
  unsettled.unsettled_write = UnsettledWrite{Ago(3), 4, 8};
  EXPECT_FALSE(Evaluate(unsettled).rescale);
  EXPECT_EQ(FindCondition(Evaluate(unsettled).status, "Held")->reason, "UnsettledWrite");

  Snapshot dry = Failing(4, 6);
  dry.autoscaler.spec.mode = "DryRun";
  EXPECT_EQ(Evaluate(dry).dry_run_replicas, 6);
  EXPECT_EQ(FindCondition(Evaluate(dry).status, "Held")->reason, "DryRun");

  Snapshot disabled = Failing(4, 6);
  disabled.autoscaler.spec.mode = "Disabled";
  EXPECT_FALSE(Evaluate(disabled).rescale);
  EXPECT_EQ(Evaluate(disabled).release, std::nullopt);

  Snapshot zero = Failing(0, 6);
  zero.autoscaler.spec.min_replicas = 0;
  EXPECT_FALSE(Evaluate(zero).rescale);
  EXPECT_EQ(Evaluate(zero).release, std::nullopt);
}

// Or an outage would keep the workload at zero while its queue grows.
TEST(Fallback, WakesTheZeroOfThePolicy) {
  Snapshot zero = Failing(0, 6);
  zero.autoscaler.spec.min_replicas = 0;
  zero.autoscaler.status.conditions = {{"ScaledToZero", "True", "ScaledToZero", "", {}}};
  EXPECT_EQ(Evaluate(zero).status.desired_replicas, 4) << "the first step from zero";
  FallbackOf(zero).replicas = 2;
  const Conclusion woken = Evaluate(zero);
  EXPECT_EQ(woken.status.desired_replicas, 2);
  EXPECT_EQ(FindCondition(woken.status, "ScaledToZero")->status, "False");

  zero.memory->no_value_since = Ago(10);
  ASSERT_TRUE(Evaluate(zero).release);
  EXPECT_EQ(Evaluate(zero).release->at, Ago(10) + Duration::Seconds(30));
  EXPECT_EQ(Evaluate(zero).release->replicas, 2);
  FallbackOf(zero).behavior = "CurrentReplicas";
  EXPECT_FALSE(Evaluate(zero).rescale);
}

TEST(Fallback, IsNothingForHpas) {
  Snapshot snapshot = Failing(4, 6);
  snapshot.autoscaler.kind = api::kHpaKind;
  const Conclusion conclusion = Evaluate(snapshot);
  EXPECT_FALSE(conclusion.rescale);
  EXPECT_EQ(conclusion.release, std::nullopt);
}

TEST(Fallback, IsForgottenWithTheField) {
  Snapshot snapshot = Failing(4, 6);
  snapshot.autoscaler.spec.fallback.reset();
  EXPECT_EQ(Evaluate(snapshot).memory.no_value_since, std::nullopt);
}

}  // namespace
}  // namespace ballast::engine
