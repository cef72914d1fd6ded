#include "operator/explain/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/pause_annotation.h"
#include "operator/engine/metric/metric.h"
#include "operator/explain/testing/queue_snapshot.h"

namespace ballast::explain {
namespace {

using engine::Rule;
using engine::Snapshot;
using engine::testing::Ago;
using engine::testing::kNow;
using engine::testing::QueueOf;
using ::testing::HasSubstr;
using Kind = Obstacle::Kind;

// The policy of WithQueue(), which recommended `held` replicas that long ago.
Snapshot Held(std::int32_t replicas, const std::string& queue, std::int32_t held,
              std::int64_t ago) {
  Snapshot snapshot = WithQueue(replicas, queue);
  snapshot.memory->recommendations = {{Ago(ago), held}};
  return snapshot;
}

// Eight replicas of which two would do; a pause has ended a minute ago.
Snapshot AfterPause(std::vector<engine::Recommendation> remembered) {
  Snapshot snapshot = WithQueue(8, "20");
  snapshot.autoscaler.metadata.annotations[api::kPausedUntil] = "2026-03-04T11:59:00Z";
  snapshot.memory->recommendations = std::move(remembered);
  return snapshot;
}

// Just after so many seconds: without behavior what is as old as the window still holds.
Time After(std::int64_t seconds) { return kNow + Duration::Seconds(seconds) + Duration{1}; }

api::ScalingRules& ScaleUp(Snapshot& snapshot) {
  auto& behavior = snapshot.autoscaler.spec.behavior;
  return behavior.emplace().scale_up.emplace();
}

TEST(Explanation, NamesTheRuleThatSetTheCount) {
  struct Case {
    const char* about;
    Snapshot snapshot;
    std::optional<Obstacle> obstacle;  // without its text
    std::optional<Time> release = {};
  };
  const Case kCases[] = {
      {"just as many", WithQueue(4, "40"), {}},
      {"the metric alone", WithQueue(2, "33"), {}},
      {"a window", Held(17, "140", 17, 15),
       Obstacle{Rule::kStabilization, Kind::kWindow, false, 14, 17, Duration::Seconds(300)},
       After(285)},
      {"the window of its own",
       With(Held(17, "140", 17, 15),
            [](Snapshot& s) {
              s.autoscaler.spec.behavior.emplace().scale_down.emplace();
              s.autoscaler.spec.behavior->scale_down->stabilization_window_seconds = 60;
              s.autoscaler.spec.behavior->scale_down->policies = {{"Percent", 100, 15}};
            }),
       Obstacle{Rule::kStabilization, Kind::kWindow, false, 14, 17, Duration::Seconds(60)},
       kNow + Duration::Seconds(45)},
      {"the maximum", WithQueue(20, "245"),
       Obstacle{Rule::kLimits, Kind::kMaxReplicas, true, 25, 20}},
      {"the minimum",
       With(WithQueue(3, "10"), [](Snapshot& s) { s.autoscaler.spec.min_replicas = 3; }),
       Obstacle{Rule::kLimits, Kind::kMinReplicas, false, 1, 3}},
      // A maximum that was lowered cuts what a window holds; without the window the count would be
      // lower.
      {"a window that the maximum cut",
       With(Held(6, "30", 8, 10), [](Snapshot& s) { s.autoscaler.spec.max_replicas = 6; }),
       Obstacle{Rule::kStabilization, Kind::kWindow, false, 3, 6, Duration::Seconds(300)},
       After(290)},
      {"a direction that is switched off",
       With(WithQueue(4, "80"), [](Snapshot& s) { ScaleUp(s).select_policy = "Disabled"; }),
       Obstacle{Rule::kLimits, Kind::kDirectionDisabled, true, 8, 4}},
      {"one step without behavior", WithQueue(4, "200"),
       Obstacle{Rule::kLimits, Kind::kDoubling, true, 20, 8}},
      {"a rate",
       With(WithQueue(4, "200"),
            [](Snapshot& s) {
              ScaleUp(s).policies = {{"Pods", 3, 60}};
            }),
       Obstacle{Rule::kLimits, Kind::kRate, true, 20, 7}},
      {"a used sample",
       With(WithQueue(4, "60"),
            [](Snapshot& s) {
              s.memory->used_samples = {{engine::IdentityOf(s.autoscaler.spec.metrics[0]), Ago(5)}};
            }),
       Obstacle{Rule::kUsedSample, Kind::kUsedSample, true, 6, 4}},
      {"a pause",
       With(WithQueue(8, "20"),
            [](Snapshot& s) {
              s.autoscaler.metadata.annotations[api::kPausedUntil] = "2026-03-04T13:00:00Z";
            }),
       Obstacle{Rule::kPause, Kind::kOther, false, 2, 8}, kNow + Duration::Seconds(3'900)},
      {"a pause that has ended", AfterPause({{Ago(400), 8}}),
       Obstacle{Rule::kStabilization, Kind::kKept, false, 2, 8, Duration::Seconds(300)},
       kNow + Duration::Seconds(240)},
      {"a pause that has ended, and a recommendation", AfterPause({{Ago(30), 8}}),
       Obstacle{Rule::kStabilization, Kind::kWindow, false, 2, 8, Duration::Seconds(300)},
       After(270)},
      {"a pause that has ended, and a recommendation that counts for the last time",
       AfterPause({{Ago(300), 8}}),
       Obstacle{Rule::kStabilization, Kind::kWindow, false, 2, 8, Duration::Seconds(300)},
       kNow + Duration::Seconds(240)},
      {"a suspect source",
       With(WithQueue(8, "0"),
            [](Snapshot& s) {
              s.suspect_source = engine::SuspectSource{"external.metrics.k8s.io", Ago(60)};
            }),
       Obstacle{Rule::kHold, Kind::kOther, false, 1, 8}, kNow + Duration::Seconds(840)},
      {"an interruption", With(WithQueue(8, "40"), [](Snapshot& s) { s.interrupted = true; }),
       Obstacle{Rule::kStabilization, Kind::kWindow, false, 4, 8, Duration::Seconds(300)},
       After(300)},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.about);
    const Explanation why = Explain(c.snapshot, {});
    ASSERT_EQ(why.obstacle.has_value(), c.obstacle.has_value());
    EXPECT_EQ(why.release ? std::optional(why.release->at) : std::nullopt, c.release);
    if (c.obstacle) {
      EXPECT_EQ(why.obstacle->rule, c.obstacle->rule);
      EXPECT_EQ(why.obstacle->kind, c.obstacle->kind);
      EXPECT_EQ(why.obstacle->up, c.obstacle->up);
      EXPECT_EQ(why.obstacle->proposed, c.obstacle->proposed);
      EXPECT_EQ(why.obstacle->allowed, c.obstacle->allowed);
      EXPECT_EQ(why.obstacle->window, c.obstacle->window);
      EXPECT_TRUE(IsBoundBy(why, c.obstacle->rule));
    }
  }
}

// The release is when the engine would scale.
TEST(Explanation, TheReleaseIsWhenItScales) {
  const Snapshot held = Held(17, "140", 17, 15);
  const auto release = Explain(held, {}).release;
  ASSERT_TRUE(release);
  const auto scales_at = [&](Time time) {
    Snapshot later = held;
    later.now = time;
    later.metrics = {QueueOf("140", time - Duration::Seconds(5))};
    later.memory->recommendations.push_back({time - Duration::Seconds(15), 14});
    return Explain(later, {}).decision.rescale;
  };
  EXPECT_FALSE(scales_at(release->at - Duration{1}));
  EXPECT_TRUE(scales_at(release->at));
}

TEST(Explanation, TellsWhatIsInForceBesideTheRuleThatSetTheCount) {
  Snapshot snapshot = Held(8, "20", 8, 10);
  snapshot.autoscaler.metadata.annotations = {{api::kPausedUntil, "2026-03-04T13:00:00Z"},
                                              {api::kPausedDirection, "In"},
                                              {api::kPausedBy, "alice"},
                                              {api::kPausedReason, "black friday"}};
  snapshot.suspect_source = engine::SuspectSource{"external.metrics.k8s.io", Ago(60)};
  const Explanation why = Explain(snapshot, {});
  EXPECT_TRUE(IsBoundBy(why, Rule::kStabilization)) << "neither would have been enough alone";
  ASSERT_EQ(why.pauses.size(), 1U);
  EXPECT_EQ(why.pauses[0].by, "alice");
  EXPECT_EQ(why.pauses[0].reason, "black friday");
  EXPECT_EQ(why.suspect_until, kNow + Duration::Seconds(840));
}

TEST(Explanation, TellsEachMetricsPart) {
  Snapshot snapshot = WithQueue(2, "33");
  auto& metrics = snapshot.autoscaler.spec.metrics;
  metrics.push_back(engine::testing::CpuMetric());
  snapshot.metrics.emplace_back(engine::testing::CpuOf({"100m"}, Ago(-3)));
  metrics.push_back(engine::testing::QueueMetric());
  metrics.back().external->metric.name = "jobs";
  snapshot.metrics.emplace_back(engine::Failure{"the server is down"});
  const Explanation why = Explain(snapshot, {});
  ASSERT_EQ(why.metrics.size(), 3u);
  const MetricView& queue = why.metrics[0];
  EXPECT_EQ(queue.name, "metric 0 (External)");
  EXPECT_EQ(queue.what, "queue");
  EXPECT_EQ(queue.value, "16.5 a pod");
  EXPECT_EQ(queue.target, "10 a pod");
  EXPECT_EQ(queue.proposal, 4);
  EXPECT_EQ(queue.age, Duration::Seconds(5));
  EXPECT_EQ(queue.pods + queue.problem, "");
  const MetricView& cpu = why.metrics[1];
  EXPECT_EQ(cpu.what, "cpu");
  EXPECT_EQ(cpu.value, "100%");
  EXPECT_EQ(cpu.target, "50%");
  EXPECT_EQ(cpu.pods, "1 pod counted in full, 1 without a sample");
  EXPECT_EQ(cpu.age, Duration::Seconds(-3)) << "a source's clock may be ahead";
  const MetricView& jobs = why.metrics[2];
  EXPECT_EQ(jobs.what, "jobs");
  EXPECT_EQ(jobs.value, "");
  EXPECT_EQ(jobs.proposal, std::nullopt);
  EXPECT_EQ(jobs.age, std::nullopt);
  EXPECT_THAT(jobs.problem, HasSubstr("the server is down"));
}

TEST(Explanation, OfAnUnreadableSnapshotThereIsNone) {
  const auto why = Explain(std::string("{"), store::Entry());
  ASSERT_FALSE(why.ok());
  EXPECT_EQ(why.error().code, Code::kCorrupt);
}

}  // namespace
}  // namespace ballast::explain
