#include "operator/engine/policy/suspect_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/autoscaling/pause_annotation.h"
#include "api/autoscaling/trust_annotation.h"
#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using ::testing::Contains;
using testing::Evaluate;
using ::testing::Field;
using testing::FindCondition;
using testing::kNow;

// A policy whose queue is empty, of a source that has been suspect for a minute; no window holds.
Snapshot Suspicious(std::int32_t current, const char* queue = "0") {
  Snapshot snapshot = testing::MakePolicy(current);
  snapshot.metrics = {testing::QueueOf(queue)};
  snapshot.memory = Memory{{{Ago(400), current}}, {}, {}, {}};
  snapshot.suspect_source = SuspectSource{"external.metrics.k8s.io", Ago(60)};
  return snapshot;
}

std::string ReasonOfHeld(const Snapshot& snapshot) {
  return FindCondition(Evaluate(snapshot).status, "Held")->reason;
}

TEST(SuspectSource, KeepsFromScalingIn) {
  const Conclusion conclusion = Evaluate(Suspicious(4));
  EXPECT_FALSE(conclusion.rescale);
  EXPECT_EQ(conclusion.status.desired_replicas, 4);
  const std::string said =
      "external.metrics.k8s.io turned to zero, or lost most of its pods, for several policies at "
      "once, and may be broken: nothing is scaled in because of it until 2026-03-04T12:14:00Z, "
      "unless it recovers or the annotation ballast.dev/sources-trusted-until trusts it";
  EXPECT_EQ(FindCondition(conclusion.status, "Held")->status, "True");
  EXPECT_EQ(FindCondition(conclusion.status, "Held")->reason, "SourceSuspect");
  EXPECT_EQ(FindCondition(conclusion.status, "Held")->message, said);
  EXPECT_THAT(conclusion.events, Contains(Field(&Event::message, said)));
  EXPECT_EQ(BindingStep(conclusion.trace)->rule, Rule::kHold);
  EXPECT_EQ(BindingStep(conclusion.trace)->text, "Scaling to 1 is held: " + said + ".");
  EXPECT_EQ(conclusion.memory.suspect_since, Ago(60));
  ASSERT_TRUE(conclusion.release);
  EXPECT_EQ(conclusion.release->at, Ago(60) + Duration::Seconds(900));
  EXPECT_EQ(conclusion.release->replicas, 1);
}

TEST(SuspectSource, IsToldOnce) {
  Snapshot snapshot = Suspicious(4);
  snapshot.autoscaler.status = Evaluate(snapshot).status;
  EXPECT_THAT(Evaluate(snapshot).events, ::testing::IsEmpty());
}

TEST(SuspectSource, HoldsForAtMostSoLong) {
  const struct {
    const char* name;
    Time since;
    Duration hold;
    std::int32_t replicas;
  } kCases[] = {
      {"until the last moment", Ago(900) + Duration{1}, Duration::Seconds(900), 4},
      {"no longer", Ago(900), Duration::Seconds(900), 1},
      {"as the installation says", Ago(60), Duration::Seconds(60), 1},
      {"not at all", kNow, {}, 1},
      {"from now on, if the clock was ahead", Ago(-600), Duration::Seconds(900), 4},
  };
  for (const auto& c : kCases) {
    Snapshot snapshot = Suspicious(4);
    snapshot.suspect_source->since = c.since;
    snapshot.settings.suspect_hold = c.hold;
    EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, c.replicas) << c.name;
  }
  Snapshot ahead = Suspicious(4);
  ahead.suspect_source->since = Ago(-600);
  EXPECT_EQ(SuspectUntil(ahead), kNow + Duration::Seconds(900));
}

TEST(SuspectSource, IsTrustedByAnnotation) {
  const auto with = [](const std::string& until) {
    Snapshot snapshot = Suspicious(4);
    snapshot.autoscaler.metadata.annotations = {{api::kSourcesTrustedUntil, until}};
    return Evaluate(snapshot).status.desired_replicas;
  };
  EXPECT_EQ(with(Print(Ago(-1))), 1);
  EXPECT_EQ(with(Print(kNow)), 4);
  EXPECT_EQ(with("true"), 4);
}

TEST(SuspectSource, NeverKeepsFromAnythingElse) {
  EXPECT_EQ(Evaluate(Suspicious(4, "60")).status.desired_replicas, 6) << "scaling out";
  EXPECT_EQ(ReasonOfHeld(Suspicious(4, "60")), "SourceSuspect") << "told all the same";
  EXPECT_EQ(ReasonOfHeld(Suspicious(4, "40")), "SourceSuspect");

  Snapshot above = Suspicious(4);
  above.autoscaler.spec.max_replicas = 3;
  EXPECT_EQ(Evaluate(above).status.desired_replicas, 3) << "moving into the bounds";

  Snapshot hpa = Suspicious(4);
  hpa.autoscaler.kind = api::kHpaKind;
  EXPECT_EQ(Evaluate(hpa).status.desired_replicas, 1) << "HPAs";
  EXPECT_EQ(Evaluate(hpa).memory.suspect_since, std::nullopt);
}

TEST(SuspectSource, ComesAfterPauseHoldsAndMode) {
  Snapshot paused = Suspicious(4);
  paused.autoscaler.metadata.annotations = {{api::kPausedUntil, Print(Ago(-60))}};
  EXPECT_EQ(ReasonOfHeld(paused), api::kPaused);
  EXPECT_EQ(Evaluate(paused).release->at, Ago(60) + Duration::Seconds(900)) << "the later of both";
  paused.autoscaler.metadata.annotations[api::kPausedDirection] = "Out";
  EXPECT_EQ(ReasonOfHeld(paused), "SourceSuspect") << "it lets scaling in pass";
  EXPECT_FALSE(Evaluate(paused).rescale);

  Snapshot unsettled = Suspicious(4);
  unsettled.unsettled_write = UnsettledWrite{Ago(3), 4, 8};
  EXPECT_EQ(ReasonOfHeld(unsettled), "UnsettledWrite");

  Snapshot old_view = Suspicious(4);
  old_view.pods_age = Duration::Seconds(121);
  EXPECT_EQ(ReasonOfHeld(old_view), "OldView");

  Snapshot dry = Suspicious(4);
  dry.autoscaler.spec.mode = "DryRun";
  EXPECT_EQ(ReasonOfHeld(dry), "DryRun");
  EXPECT_EQ(Evaluate(dry).dry_run_replicas, 1);
}

TEST(SuspectSource, DoesNotHoldWhatFallbackAsksFor) {
  Snapshot snapshot = Suspicious(4);
  snapshot.metrics = {Failure{"no such metric"}};
  snapshot.autoscaler.spec.fallback.emplace();
  snapshot.autoscaler.spec.fallback->after_seconds = 30;
  snapshot.autoscaler.spec.fallback->replicas = 2;
  snapshot.autoscaler.spec.fallback->allow_scale_in = true;
  snapshot.memory->no_value_since = Ago(60);
  EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, 2);
  EXPECT_EQ(ReasonOfHeld(snapshot), "Fallback");
}

TEST(SuspectSource, IsForgottenOnceItIsNoMore) {
  Snapshot snapshot = Suspicious(4, "40");
  snapshot.memory->suspect_since = Ago(60);
  snapshot.suspect_source.reset();
  EXPECT_EQ(Evaluate(snapshot).memory.suspect_since, std::nullopt);
  EXPECT_EQ(ReasonOfHeld(snapshot), "Active");
  snapshot.scale = Failure{"no such target"};
  EXPECT_EQ(Evaluate(snapshot).memory.suspect_since, Ago(60)) << "no metric was asked for";
}

}  // namespace
}  // namespace ballast::engine
