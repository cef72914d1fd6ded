// What overrides make of a count. (The rules that they share with schedules are tested there.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "operator/engine/testing/test_snapshot.h"
#include "operator/engine/timetable.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using testing::Evaluate;
using testing::FindCondition;
using ::testing::HasSubstr;
using testing::kNow;

// Of alice, for a sale, from a minute ago for an hour.
ScheduleWindow Window(const std::string& name) {
  ScheduleWindow window{.name = name, .start = Ago(60), .end = Ago(-3540), .ramp_minutes = 0};
  window.origin = OverrideOrigin{"alice", "sale"};
  return window;
}
ScheduleWindow Floor(std::int32_t replicas) {
  ScheduleWindow window = Window("web-floor");
  window.min_replicas = replicas;
  return window;
}
ScheduleWindow Ceiling(std::int32_t replicas) {
  ScheduleWindow window = Window("web-ceiling");
  window.max_replicas = replicas;
  return window;
}
ScheduleWindow Pin(std::int32_t replicas) {
  ScheduleWindow window = Window("web-pin");
  window.pin = replicas;
  return window;
}
ScheduleWindow Hold(const std::string& hold) {
  ScheduleWindow window = Window("web-hold");
  window.hold = hold;
  return window;
}

// Of four replicas; the queue asks for `wanted`, and nothing else stands in the way.
Snapshot Wanting(const char* kind, std::int32_t wanted, std::vector<ScheduleWindow> overrides) {
  Snapshot snapshot = testing::MakeSnapshot(kind, 4);
  snapshot.metrics = {testing::QueueOf(std::to_string(10 * wanted))};
  snapshot.memory = Memory{{{Ago(400), 4}}, {}, {}, {}};
  snapshot.overrides = std::move(overrides);
  return snapshot;
}

TEST(Override, BoundsAndHoldsTheCount) {
  const struct {
    const char* name;
    std::int32_t wanted;
    std::vector<ScheduleWindow> overrides;
    std::int32_t replicas;
  } kCases[] = {
      {"none", 6, {}, 6},
      {"a floor", 4, {Floor(9)}, 9},
      {"a floor within which the metrics decide", 6, {Floor(3)}, 6},
      {"a floor is kept within the spec", 4, {Floor(99)}, 20},
      {"a ceiling", 4, {Ceiling(3)}, 3},
      {"a floor beats a ceiling", 4, {Floor(9), Ceiling(3)}, 9},
      {"a pin", 6, {Pin(7)}, 7},
      {"a pin comes after floors", 6, {Pin(7), Floor(9)}, 7},
      {"and after ceilings", 6, {Pin(7), Ceiling(3)}, 7},
      {"it is kept within the spec", 6, {Pin(99)}, 20},
      {"a hold", 6, {Hold("All")}, 4},
      {"a hold comes last", 6, {Hold("All"), Pin(7)}, 4},
      {"a hold of scale-in", 6, {Hold("ScaleDown")}, 6},
      {"and where it counts", 2, {Hold("ScaleDown")}, 4},
      {"a hold of scale-out", 6, {Hold("ScaleUp")}, 4},
  };
  for (const auto& c : kCases) {
    for (const char* kind : {api::kPolicyKind, api::kHpaKind}) {
      EXPECT_EQ(Evaluate(Wanting(kind, c.wanted, c.overrides)).status.desired_replicas, c.replicas)
          << c.name << ", " << kind;
    }
  }
}

TEST(Override, CountsWithinItsTimes) {
  for (const auto& [start, end, replicas] :
       {std::tuple{0, 60, 9}, {1, 60, 4}, {-60, 0, 4}, {-60, 1, 9}}) {
    ScheduleWindow floor = Floor(9);
    floor.start = Ago(-start);
    floor.end = Ago(-end);
    EXPECT_EQ(Evaluate(Wanting(api::kPolicyKind, 4, {floor})).status.desired_replicas, replicas)
        << start;
  }
}

TEST(Override, ActsBesideASchedule) {
  Snapshot snapshot = Wanting(api::kPolicyKind, 4, {Floor(6)});
  snapshot.schedules.emplace().windows = {
      {.name = "day", .start = Ago(60), .end = Ago(-60), .min_replicas = 9}};
  EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, 9) << "the higher floor";
  snapshot.overrides = {Pin(2)};
  EXPECT_EQ(Evaluate(snapshot).status.desired_replicas, 2);
}

TEST(Override, IsNamedWithItsOwnerAndReason) {
  const Conclusion floor = Evaluate(Wanting(api::kPolicyKind, 4, {Floor(9)}));
  const std::string said =
      "override \"web-floor\" of alice sets a minimum of 9 until 2026-03-04T12:59:00Z: sale";
  EXPECT_THAT(floor.events.front().message, HasSubstr(said));
  ASSERT_TRUE(FindStep(floor.trace, Rule::kSchedule));
  EXPECT_EQ(FindStep(floor.trace, Rule::kSchedule)->text, said + ".");

  const Conclusion pin = Evaluate(Wanting(api::kPolicyKind, 4, {Pin(9)}));
  EXPECT_EQ(FindStep(pin.trace, Rule::kSchedule)->text,
            "override \"web-pin\" of alice pins the replicas to 9 until 2026-03-04T12:59:00Z: "
            "sale.");

  // The spec's bounds are 1 and 20.
  for (const auto& [window, text] :
       {std::pair{Pin(99), "pins the replicas to 20 (99 is beyond the spec's bounds) until"},
        {Floor(99), "sets a minimum of 20 (99 is beyond the spec's bounds) until"}}) {
    const Conclusion limited = Evaluate(Wanting(api::kPolicyKind, 4, {window}));
    EXPECT_THAT(FindStep(limited.trace, Rule::kSchedule)->text, HasSubstr(text));
  }
  Snapshot low = Wanting(api::kPolicyKind, 4, {Ceiling(2)});
  low.autoscaler.spec.min_replicas = 3;
  EXPECT_THAT(FindStep(Evaluate(low).trace, Rule::kSchedule)->text,
              HasSubstr("sets a maximum of 3 (2 is beyond the spec's bounds) until"));

  const Conclusion hold = Evaluate(Wanting(api::kPolicyKind, 6, {Hold("All")}));
  const api::Condition* held = FindCondition(hold.status, "Held");
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(held->status, "True");
  EXPECT_EQ(held->message,
            "override \"web-hold\" of alice paused scaling until 2026-03-04T12:59:00Z: sale");
  ASSERT_TRUE(hold.release);
  EXPECT_EQ(hold.release->at, Ago(-3540));

  ScheduleWindow unknown = Floor(9);
  unknown.origin->owner.clear();
  EXPECT_EQ(NameOf(unknown), "override \"web-floor\" of unknown");
}

TEST(Override, IsDecidedInDryRunAndWithoutEffectWhenDisabled) {
  Snapshot snapshot = Wanting(api::kPolicyKind, 4, {Floor(9)});
  snapshot.autoscaler.spec.mode = "DryRun";
  EXPECT_EQ(Evaluate(snapshot).dry_run_replicas, 9);
  EXPECT_FALSE(Evaluate(snapshot).rescale);
  snapshot.autoscaler.spec.mode = "Disabled";
  EXPECT_FALSE(Evaluate(snapshot).rescale);
}

// What a floor or a pin has held is scaled in only one scale-down window later.
TEST(Override, NothingFallsAtItsEnd) {
  for (ScheduleWindow window : {Floor(4), Pin(4)}) {
    window.end = Ago(10);
    EXPECT_EQ(Evaluate(Wanting(api::kPolicyKind, 1, {window})).status.desired_replicas, 4)
        << window.name;
    window.end = Ago(300);
    EXPECT_EQ(Evaluate(Wanting(api::kPolicyKind, 1, {window})).status.desired_replicas, 1)
        << window.name;
  }
}

// A policy's, whatever its minimum; an HPA's within its own bounds, since nothing would wake it.
TEST(Override, SwitchesAPolicyOffAndOnAgain) {
  for (const ScheduleWindow& window : {Ceiling(0), Pin(0)}) {
    const Conclusion off = Evaluate(Wanting(api::kPolicyKind, 6, {window}));
    EXPECT_EQ(off.status.desired_replicas, 0) << window.name;
    const api::Condition* zero = FindCondition(off.status, "ScaledToZero");
    ASSERT_NE(zero, nullptr);
    EXPECT_EQ(zero->message, "an override with a maximum of 0 scaled the workload to zero");
    EXPECT_EQ(Evaluate(Wanting(api::kPolicyKind, 6, {window, Floor(3)})).status.desired_replicas,
              window.pin ? 0 : 3)
        << window.name;

    Snapshot later = Wanting(api::kPolicyKind, 6, {window});
    std::get<api::Scale>(later.scale).spec_replicas = 0;
    later.autoscaler.status = off.status;
    EXPECT_FALSE(Evaluate(later).rescale) << window.name;
    EXPECT_THAT(FindCondition(Evaluate(later).status, "ScalingActive")->message,
                HasSubstr(window.name));
    later.overrides.front().end = kNow;
    EXPECT_EQ(Evaluate(later).status.desired_replicas, 1) << "its end wakes the target";
    EXPECT_THAT(Evaluate(later).events.front().message,
                HasSubstr("override \"" + window.name + "\" of alice with a maximum of 0 is over"));
    later.overrides.clear();
    EXPECT_THAT(Evaluate(later).events.front().message,
                HasSubstr("the override with a maximum of 0 is over"))
        << "ended early";

    EXPECT_EQ(Evaluate(Wanting(api::kHpaKind, 6, {window})).status.desired_replicas, 1)
        << window.name;
    Snapshot may_be_off = Wanting(api::kHpaKind, 6, {window});
    may_be_off.settings.scale_to_zero = true;
    may_be_off.autoscaler.spec.min_replicas = 0;
    EXPECT_EQ(Evaluate(may_be_off).status.desired_replicas, 0) << window.name;
    may_be_off.settings.scale_to_zero = false;
    EXPECT_EQ(Evaluate(may_be_off).status.desired_replicas, 1)
        << window.name << ": nothing would wake it";
  }
}

TEST(Override, NeverWakesWhatSomebodySwitchedOff) {
  Snapshot snapshot = testing::MakePolicy(0);
  snapshot.overrides = {Pin(7)};
  EXPECT_FALSE(Evaluate(snapshot).rescale);
}

}  // namespace
}  // namespace ballast::engine
