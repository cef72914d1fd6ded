#include "operator/explain/counterfactuals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/autoscaling/pause_annotation.h"
#include "operator/engine/engine.h"
#include "operator/engine/metric/metric.h"
#include "operator/explain/testing/queue_snapshot.h"

namespace ballast::explain {
namespace {

using engine::Snapshot;
using engine::testing::Ago;
using engine::testing::QueueOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// "25 with maxReplicas of 25 or more", of the changes of settings or of loads.
std::vector<std::string> Alternatives(const Snapshot& snapshot, bool loads) {
  std::vector<std::string> found;
  for (const Alternative& one : FindAlternatives(snapshot, engine::Decide(snapshot))) {
    if ((one.change == AlteredInput::kLoad) == loads) {
      found.push_back(std::to_string(one.replicas) + " " + one.what);
    }
  }
  return found;
}

TEST(Alternatives, AreTheSettingsThatLeadToAnotherCount) {
  const struct {
    const char* about;
    Snapshot snapshot;
    std::vector<std::string> settings;
  } kCases[] = {
      {"nothing holds it", WithQueue(4, "40"), {}},
      {"the maximum", WithQueue(20, "245"), {"25 with maxReplicas of 25 or more"}},
      {"the minimum",
       With(WithQueue(3, "10"), [](Snapshot& s) { s.autoscaler.spec.min_replicas = 3; }),
       {"1 with minReplicas of 1 or less"}},
      // minReplicas of 1 is not offered as an alternative to 0: it would not be less.
      {"a minimum of none",
       With(WithQueue(3, "0"), [](Snapshot& s) { s.autoscaler.spec.min_replicas = 0; }),
       {}},
      {"the tolerance", WithQueue(4, "43"), {"5 without the tolerance"}},
      {"a window", WithQueue(17, "140", 15), {"14 without the scale-down window"}},
      {"a window of its own",
       With(WithQueue(17, "140", 15),
            [](Snapshot& s) {
              s.autoscaler.spec.behavior.emplace().scale_down.emplace();
              s.autoscaler.spec.behavior->scale_down->stabilization_window_seconds = 60;
              s.autoscaler.spec.behavior->scale_down->policies = {{"Percent", 100, 15}};
            }),
       {"14 without the scale-down window"}},
      {"a window before more",
       With(WithQueue(4, "60", 15),
            [](Snapshot& s) {
              s.autoscaler.spec.behavior.emplace().scale_up.emplace();
              s.autoscaler.spec.behavior->scale_up->stabilization_window_seconds = 60;
              s.autoscaler.spec.behavior->scale_up->policies = {{"Percent", 100, 15}};
            }),
       {"6 without the scale-up window"}},
      {"a rate",
       With(WithQueue(4, "200"),
            [](Snapshot& s) {
              s.autoscaler.spec.behavior.emplace().scale_up.emplace();
              s.autoscaler.spec.behavior->scale_up->policies = {{"Pods", 3, 60}};
            }),
       {"20 without a limit on the scale-up rate"}},
      {"a rate downwards",
       With(WithQueue(9, "20"),
            [](Snapshot& s) {
              s.autoscaler.spec.behavior.emplace().scale_down.emplace();
              s.autoscaler.spec.behavior->scale_down->policies = {{"Pods", 3, 60}};
            }),
       {"2 without a limit on the scale-down rate"}},
      {"a used sample",
       With(WithQueue(4, "60"),
            [](Snapshot& s) {
              s.memory->used_samples = {{engine::IdentityOf(s.autoscaler.spec.metrics[0]), Ago(5)}};
            }),
       {"6 with a newer sample of the metric"}},
      {"a pause",
       With(WithQueue(8, "20"),
            [](Snapshot& s) {
              s.autoscaler.metadata.annotations[api::kPausedUntil] = "2026-03-04T13:00:00Z";
            }),
       {"2 without the pause"}},
      {"two schedules, of which one counts",
       With(WithQueue(8, "20"),
            [](Snapshot& s) {
              const engine::ScheduleWindow window{.start = Ago(3600), .end = Ago(-3600)};
              auto& windows = s.schedules.emplace().windows;
              windows = {window, window};
              windows[0].name = "low";
              windows[0].min_replicas = 4;
              windows[1].name = "high";
              windows[1].min_replicas = 6;
            }),
       {"4 without the schedule high"}},
      // Neither is enough alone.
      {"a window within a pause",
       With(WithQueue(8, "20", 10),
            [](Snapshot& s) {
              s.autoscaler.metadata.annotations[api::kPausedUntil] = "2026-03-04T13:00:00Z";
            }),
       {}},
      {"a suspect source",
       With(WithQueue(8, "0"),
            [](Snapshot& s) {
              s.suspect_source = engine::SuspectSource{"external.metrics.k8s.io", Ago(60)};
            }),
       {"1 with trust in the suspect source"}},
      {"an interruption",
       With(WithQueue(8, "40"), [](Snapshot& s) { s.interrupted = true; }),
       {"4 without the interruption before it"}},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(Alternatives(c.snapshot, false), ElementsAreArray(c.settings)) << c.about;
  }
}

// A load is the smallest change that suffices: to the end of the tolerance, or to where fewer
// replicas are enough.
TEST(Alternatives, AreTheNearestLoads) {
  EXPECT_THAT(Alternatives(WithQueue(4, "40"), true),
              ElementsAre("5 with queue at 11.001 a pod or more (it was 10 a pod)",
                          "3 with queue at 7.5 a pod or less (it was 10 a pod)"));
  EXPECT_THAT(Alternatives(WithQueue(2, "33"), true),
              ElementsAre("2 with queue at 11 a pod or less (it was 16.5 a pod)"))
      << "with which it would not have been scaled";
}

// The highest proposal wins, so a lower count takes a change of all metrics.
TEST(Alternatives, OfSeveralMetricsTakeAllToScaleIn) {
  Snapshot snapshot = WithQueue(4, "40");
  snapshot.autoscaler.spec.metrics.push_back(engine::testing::QueueMetric());
  snapshot.autoscaler.spec.metrics[1].external->metric.name = "jobs";
  snapshot.metrics.emplace_back(QueueOf("40"));
  const auto found = Alternatives(snapshot, true);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_THAT(found[0], ::testing::StartsWith("5 with queue at "));
  EXPECT_THAT(found[1], ::testing::StartsWith("5 with jobs at "));
  EXPECT_EQ(found[2], "3 with all metrics at 75% of what they were or less");
}

TEST(Alternatives, LeaveTheSnapshotAsItIs) {
  const Snapshot snapshot = WithQueue(17, "140", 15);
  const engine::Decision before = engine::Decide(snapshot);
  (void)FindAlternatives(snapshot, before);
  EXPECT_EQ(engine::Decide(snapshot).target_replicas, before.target_replicas);
  EXPECT_EQ(std::get<engine::MetricValueList>(snapshot.metrics[0])[0].value,
            engine::testing::Parse("140"));
}

}  // namespace
}  // namespace ballast::explain
