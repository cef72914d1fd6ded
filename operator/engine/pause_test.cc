#include "api/autoscaling/pause_annotation.h"
#include "api/json/json_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>

#include "api/decision/snapshot_json.h"
#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using testing::Evaluate;
using testing::FindCondition;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kNow;
using testing::MakePolicy;
using testing::MakeSnapshot;
using testing::QueueOf;

// Paused for an hour.
Snapshot Paused(Snapshot snapshot, const std::string& direction = "Both", Time until = Ago(-3600)) {
  snapshot.autoscaler.metadata.annotations = {{api::kPausedUntil, Print(until)},
                                              {api::kPausedDirection, direction},
                                              {api::kPausedBy, "alice"},
                                              {api::kPausedReason, "black friday"}};
  return snapshot;
}

// Eight replicas and a load for `wanted`, with nothing but the metric to ask.
Snapshot Wanting(const char* kind, std::int32_t wanted) {
  Snapshot snapshot = MakeSnapshot(kind, 8);
  snapshot.metrics = {QueueOf(std::to_string(10 * wanted))};
  snapshot.memory = Memory{{{Ago(400), 8}}, {}, {}, {}};
  return snapshot;
}

TEST(Pause, HoldsItsDirectionsOfBothKinds) {
  const struct {
    const char* direction;
    std::int32_t idle;  // the count when four are wanted
    std::int32_t busy;  // the count when twelve are wanted
  } kCases[] = {{"Both", 8, 8}, {"In", 8, 12}, {"Out", 4, 8}, {"Sideways", 8, 8}};
  for (const char* kind : {api::kPolicyKind, api::kHpaKind}) {
    for (const auto& c : kCases) {
      for (const std::int32_t wanted : {4, 12}) {
        const std::int32_t count = wanted < 8 ? c.idle : c.busy;
        const Snapshot snapshot = Paused(Wanting(kind, wanted), c.direction);
        const std::string about =
            std::string(kind) + ", " + c.direction + ", " + std::to_string(wanted);
        const Decision decision = Decide(snapshot);
        EXPECT_EQ(decision.target_replicas, count) << about;
        EXPECT_EQ(decision.rescale, count != 8) << about;
        EXPECT_EQ(decision.recommended, wanted) << about;
        const Conclusion conclusion = Evaluate(snapshot);
        EXPECT_EQ(conclusion.status.desired_replicas, count) << about;
        EXPECT_EQ(conclusion.events.size(), count == 8 ? 0U : 1U) << about;
        EXPECT_EQ(conclusion.memory.recommendations.back(), (Recommendation{kNow, wanted}))
            << about;
      }
    }
  }
}

// As any hold: what it has kept is scaled in after a window.
TEST(Pause, EndsByItselfAtItsEnd) {
  const Duration window = Duration::Seconds(300);
  for (const char* kind : {api::kPolicyKind, api::kHpaKind}) {
    for (const std::int64_t nanoseconds : {-1, 0, 1}) {
      const Time until = kNow + Duration{nanoseconds};
      const auto rescales = [&](std::int32_t wanted, const char* direction, Time end) {
        return Decide(Paused(Wanting(kind, wanted), direction, end)).rescale;
      };
      EXPECT_EQ(rescales(12, "Both", until), nanoseconds <= 0) << kind << " " << nanoseconds;
      EXPECT_FALSE(rescales(4, "Both", until)) << kind << " " << nanoseconds;
      EXPECT_EQ(rescales(4, "In", until - window), nanoseconds <= 0) << kind << " " << nanoseconds;
      EXPECT_TRUE(rescales(4, "Out", until)) << kind << " " << nanoseconds;
    }
  }
}

TEST(Pause, IsNamedWhileWhatItKeptIsNotScaledIn) {
  const Conclusion kept = Evaluate(Paused(Wanting(api::kPolicyKind, 4), "In", Ago(10)));
  EXPECT_EQ(FindStep(kept.trace, Rule::kStabilization)->text,
            "Scaling in to no fewer than 8 replicas: a pause by alice ended within the last 5m0s.");
  EXPECT_EQ(
      FindCondition(kept.status, "AbleToScale")->message,
      "a pause by alice ended less than 5m0s ago, so it is scaled in to no fewer than 8 replicas");
  EXPECT_EQ(kept.release->at, kNow + Duration::Seconds(290));
}

TEST(Pause, HoldsMovingIntoTheBounds) {
  for (const std::int32_t replicas : {40, 1}) {
    Snapshot outside = MakePolicy(replicas);
    outside.autoscaler.spec.min_replicas = 2;
    const bool above = replicas == 40;
    EXPECT_TRUE(Decide(outside).rescale) << replicas;
    EXPECT_FALSE(Decide(Paused(outside, above ? "In" : "Out")).rescale) << replicas;
    EXPECT_TRUE(Decide(Paused(outside, above ? "Out" : "In")).rescale) << replicas;
  }
}

TEST(Pause, IsShownByHeldFromItsBeginningToItsEnd) {
  const std::string message = "alice paused scale-in until 2026-03-04T13:00:00Z: black friday";
  for (const std::int32_t wanted : {4, 8, 12}) {
    const Conclusion conclusion = Evaluate(Paused(Wanting(api::kPolicyKind, wanted), "In"));
    const api::Condition* held = FindCondition(conclusion.status, "Held");
    ASSERT_NE(held, nullptr);
    EXPECT_EQ(held->status, "True") << wanted;
    EXPECT_EQ(held->reason, "Paused") << wanted;
    EXPECT_EQ(held->message, message) << wanted;
    const Step* step = FindStep(conclusion.trace, Rule::kPause);
    ASSERT_NE(step, nullptr) << wanted;
    EXPECT_EQ(step->binding, wanted == 4) << wanted;
    EXPECT_EQ(step->in, wanted == 4 ? std::optional(4) : std::nullopt) << wanted;
    EXPECT_EQ(step->out, wanted == 4 ? std::optional(8) : std::nullopt) << wanted;
    EXPECT_THAT(step->text, HasSubstr(message)) << wanted;
  }
  const Conclusion over = Evaluate(Paused(Wanting(api::kPolicyKind, 8), "In", kNow));
  EXPECT_EQ(FindCondition(over.status, "Held")->reason, "Active");
  EXPECT_EQ(FindStep(over.trace, Rule::kPause), nullptr);
}

// But for holds, the conditions of a HorizontalPodAutoscaler are upstream's.
TEST(Pause, OfAnHpaIsAConditionWhileItLasts) {
  Snapshot snapshot = Paused(Wanting(api::kHpaKind, 4));
  const Conclusion conclusion = Evaluate(snapshot);
  ASSERT_NE(FindCondition(conclusion.status, "Held"), nullptr);
  EXPECT_THAT(FindCondition(conclusion.status, "Held")->message, HasSubstr("alice paused"));
  EXPECT_THAT(conclusion.events, IsEmpty());
  snapshot.autoscaler.metadata.annotations.clear();
  snapshot.autoscaler.status = conclusion.status;
  EXPECT_EQ(FindCondition(Evaluate(snapshot).status, "Held"), nullptr);
  ASSERT_NE(BindingStep(conclusion.trace), nullptr);
  EXPECT_EQ(BindingStep(conclusion.trace)->text,
            "Scaling to 4 is held: alice paused scaling until 2026-03-04T13:00:00Z: black friday.");
}

TEST(Pause, WithoutAnEndIsNoneAndHeldSaysSo) {
  for (const char* kind : {api::kPolicyKind, api::kHpaKind}) {
    Snapshot snapshot = Wanting(kind, 4);
    snapshot.autoscaler.metadata.annotations = {{api::kPausedUntil, "tomorrow"}};
    const Decision decision = Decide(snapshot);
    EXPECT_TRUE(decision.rescale) << kind;
    const api::Condition* held = FindCondition(decision.status, "Held");
    ASSERT_NE(held, nullptr) << kind;
    EXPECT_EQ(held->status, "False") << kind;
    EXPECT_EQ(held->reason, "PauseNotUnderstood") << kind;
    EXPECT_THAT(held->message, HasSubstr("ballast.dev/paused-until must be a time like 2026-"));
  }
}

// Of what holds a count, a mode is told first and a pause next. A pause that holds nothing leaves
// Held to the hold that does.
TEST(Pause, HasItsPlaceAmongTheHolds) {
  const auto mode = [](const char* name) {
    return [name](Snapshot& s) { s.autoscaler.spec.mode = name; };
  };
  const auto unsettled = [](Snapshot& s) { s.unsettled_write = UnsettledWrite{Ago(3), 4, 8}; };
  const auto old_view = [](Snapshot& s) { s.pods_age = Duration::Seconds(1000); };
  const struct {
    const char* direction;
    std::int32_t wanted;
    std::function<void(Snapshot&)> apply;
    const char* reason;
  } kCases[] = {{"Both", 4, mode("Disabled"), "Disabled"},
                {"Both", 4, mode("DryRun"), "DryRun"},
                {"Both", 4, unsettled, "Paused"},
                {"In", 4, old_view, "Paused"},
                {"In", 12, unsettled, "UnsettledWrite"},
                {"Out", 4, old_view, "OldView"},
                {"In", 8, unsettled, "Paused"}};
  for (const auto& c : kCases) {
    Snapshot snapshot = Paused(Wanting(api::kPolicyKind, c.wanted), c.direction);
    c.apply(snapshot);
    const Decision decision = Decide(snapshot);
    EXPECT_FALSE(decision.rescale) << c.reason;
    EXPECT_EQ(FindCondition(decision.status, "Held")->reason, c.reason)
        << c.direction << " " << c.wanted;
  }
}

// A managed HPA waits for the outcome of an attempt as a policy does. A silent watch of the pods is
// only told, since upstream knows nothing of it.
TEST(Holds, HoldAnHpaForAnUnsettledWriteOnly) {
  Snapshot snapshot = Wanting(api::kHpaKind, 4);
  snapshot.unsettled_write = UnsettledWrite{Ago(3), 4, 8};
  const Decision held = Decide(snapshot);
  EXPECT_FALSE(held.rescale);
  EXPECT_EQ(FindCondition(held.status, "Held")->reason, "UnsettledWrite");

  snapshot.unsettled_write.reset();
  snapshot.autoscaler.status = held.status;
  snapshot.pods_age = Duration::Seconds(1000);
  const Decision told = Decide(snapshot);
  EXPECT_TRUE(told.rescale);
  EXPECT_EQ(FindCondition(told.status, "Held"), nullptr);
  ASSERT_NE(FindStep(told.trace, Rule::kHold), nullptr);
  EXPECT_THAT(FindStep(told.trace, Rule::kHold)->text, HasSubstr("has been silent for"));
}

TEST(Pause, ChangesNothingInADryRun) {
  Snapshot snapshot = Wanting(api::kPolicyKind, 4);
  snapshot.autoscaler.spec.mode = "DryRun";
  EXPECT_EQ(Decide(Paused(snapshot)).dry_run_replicas, 4);
  EXPECT_FALSE(Evaluate(Paused(snapshot)).release);
}

TEST(Pause, ReleasesAtItsEndOrAWindowAfterIt) {
  const Time until = Ago(-3600);
  const Time later = Ago(-3900);
  const struct {
    const char* name;
    const char* direction;
    Snapshot snapshot;
    std::optional<std::int32_t> replicas;  // absent: no release
    Time at;
  } kCases[] = {
      {"holds a scale-in", "In", Wanting(api::kPolicyKind, 4), 4, later},
      {"holds a scale-out", "Out", Wanting(api::kPolicyKind, 12), 12, until},
      {"holds one of an HPA", "Both", Wanting(api::kHpaKind, 4), 4, later},
      {"nothing to hold", "Both", Wanting(api::kPolicyKind, 8), {}, {}},
      {"the other direction", "Out", Wanting(api::kPolicyKind, 4), {}, {}},
      {"moving to the maximum", "In", MakePolicy(40), 20, until},
      {"moving to the maximum, the other direction", "Out", MakePolicy(40), {}, {}},
  };
  for (const auto& c : kCases) {
    const auto release = Evaluate(Paused(c.snapshot, c.direction, until)).release;
    EXPECT_EQ(release ? std::optional(release->replicas) : std::nullopt, c.replicas) << c.name;
    if (release) {
      EXPECT_EQ(release->at, c.at) << c.name;
    }
  }
  Snapshot below = MakePolicy(1);
  below.autoscaler.spec.min_replicas = 3;
  EXPECT_EQ(Evaluate(Paused(below, "Out", until)).release->replicas, 3);
}

// The window of a recommendation ends after 200 s, before the pause or after it.
TEST(Pause, ReleasesNothingBeforeAWindowDoes) {
  Snapshot snapshot = Wanting(api::kPolicyKind, 4);
  snapshot.memory->recommendations = {{Ago(100), 8}};
  const struct {
    Time until;
    Time release;
  } kCases[] = {{Ago(-3600), Ago(-3900)}, {Ago(-60), Ago(-360)}};
  for (const auto& c : kCases) {
    const Snapshot paused = Paused(snapshot, "In", c.until);
    const Conclusion conclusion = Evaluate(paused);
    ASSERT_TRUE(conclusion.release);
    EXPECT_EQ(conclusion.release->at, c.release);
    Snapshot later = paused;
    later.memory = conclusion.memory;
    for (const std::int64_t shift : {-1, 0}) {
      later.now = c.release + Duration{shift};
      later.metrics = {QueueOf("40", later.now)};
      EXPECT_EQ(Decide(later).rescale, shift == 0) << shift;
    }
  }
}

TEST(Pause, IsRecordedWithTheSnapshot) {
  const Snapshot snapshot = Paused(Wanting(api::kPolicyKind, 4), "In");
  json::Writer recorded;
  Encode(recorded, snapshot);
  const auto again = ParseSnapshot(recorded.Take());
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(Decide(*again).rescale);
  EXPECT_EQ(FindCondition(Decide(*again).status, "Held")->message,
            FindCondition(Decide(snapshot).status, "Held")->message);
}

}  // namespace
}  // namespace ballast::engine
