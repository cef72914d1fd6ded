// What schedules do in a decision. Bounds and ramps: timetable_test.cc, ramp_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "api/autoscaling/pause_annotation.h"
#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using testing::Evaluate;
using testing::FindCondition;
using ::testing::HasSubstr;
using testing::kNow;
using testing::MakePolicy;
using testing::QueueOf;

// Since an hour ago, for `hours` more.
ScheduleWindow Open(const char* name, std::int64_t hours) {
  return {
      .name = name, .time_zone = "Europe/Berlin", .start = Ago(3600), .end = Ago(-3600 * hours)};
}
ScheduleWindow Floor(std::int32_t replicas) {
  ScheduleWindow window = Open("day", 6);
  window.min_replicas = replicas;
  return window;
}
ScheduleWindow Ceiling(std::int32_t replicas) {
  ScheduleWindow window = Open("night", 17);
  window.max_replicas = replicas;
  return window;
}
ScheduleWindow Hold(const char* hold) {
  ScheduleWindow window = Open("launch", 2);
  window.hold = hold;
  return window;
}
ScheduleWindow Ended(ScheduleWindow window, std::int64_t seconds_ago) {
  window.end = Ago(seconds_ago);
  return window;
}

// Eight replicas of which the metric wants `wanted`, and no memory that would hold them.
Snapshot With(std::vector<ScheduleWindow> windows, std::int32_t wanted = 8) {
  Snapshot snapshot = MakePolicy(8);
  snapshot.metrics = {QueueOf(std::to_string(10 * wanted))};
  snapshot.memory = Memory{{{Ago(400), 8}}, {}, {}, {}};
  snapshot.schedules.emplace().windows = std::move(windows);
  return snapshot;
}

const char* const kUntilNight = "2026-03-05T05:00:00Z";

TEST(Schedules, BoundWhatTheMetricsAskFor) {
  const struct {
    const char* name;
    Snapshot snapshot;
    std::int32_t count;
    const char* reason;  // of the rescale, or a part of the message of ScalingLimited
  } kCases[] = {
      {"a floor moves the count at once", With({Floor(12)}), 12,
       "schedule \"day\" sets a minimum of 12 until 2026-03-04T18:00:00Z"},
      {"so does a ceiling", With({Ceiling(3)}, 20), 3,
       "schedule \"night\" sets a maximum of 3 until 2026-03-05T05:00:00Z"},
      {"a floor keeps replicas", With({Floor(6)}, 2), 6,
       "less than the minimum replica count: schedule \"day\" sets a minimum of 6 until"},
      {"a ceiling lets no more be added", With({Ceiling(9)}, 15), 9,
       "more than the maximum replica count: schedule \"night\" sets a maximum of 9 until"},
      {"a floor beats a ceiling", With({Floor(12), Ceiling(3)}), 12,
       "schedule \"day\" sets a minimum of 12 until"},
      {"a floor beats a ceiling from above", With({Floor(6), Ceiling(3)}), 6,
       "schedule \"day\" sets a minimum of 6 until 2026-03-04T18:00:00Z, to which the maximum of "
       "schedule \"night\" gives way"},
  };
  for (const auto& c : kCases) {
    const Decision decision = Decide(c.snapshot);
    EXPECT_EQ(decision.target_replicas, c.count) << c.name;
    EXPECT_TRUE(decision.bounds.Contain(c.count)) << c.name;
    const api::Condition* limited = FindCondition(decision.status, "ScalingLimited");
    EXPECT_THAT(decision.rescale_reason + (limited == nullptr ? "" : limited->message),
                HasSubstr(c.reason))
        << c.name;
    ASSERT_NE(BindingStep(decision.trace), nullptr) << c.name;
    EXPECT_THAT(BindingStep(decision.trace)->text, HasSubstr("schedule \"")) << c.name;
    ASSERT_NE(FindStep(decision.trace, Rule::kSchedule), nullptr) << c.name;
  }
}

TEST(Schedules, AreToldOnce) {
  const std::string day = "schedule \"day\" sets a minimum of 6 until 2026-03-04T18:00:00Z";
  const std::string night = "schedule \"night\" sets a maximum of 9 until 2026-03-05T05:00:00Z";
  const struct {
    std::vector<ScheduleWindow> windows;
    std::string text;
  } kCases[] = {
      {{Floor(6)}, day + "."},
      {{Ceiling(9)}, night + "."},
      {{Floor(6), Ceiling(9)}, day + "; " + night + "."},
      {{Floor(6), Ceiling(3)}, day + ", to which the maximum of schedule \"night\" gives way."},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(FindStep(Decide(With(c.windows)).trace, Rule::kSchedule)->text, c.text);
  }
}

TEST(Schedules, BoundSpecFallback) {
  for (const std::int32_t ceiling : {12, 6}) {
    Snapshot snapshot = With({Ceiling(ceiling)});
    snapshot.metrics = {Failure{"down"}};
    snapshot.autoscaler.spec.fallback = api::Fallback{.after_seconds = 60, .replicas = 15};
    snapshot.memory->no_value_since = Ago(600);
    EXPECT_EQ(Decide(snapshot).target_replicas, ceiling);
  }
}

TEST(Schedules, HoldLikeAPause) {
  const struct {
    const char* hold;
    std::int32_t idle;  // the count when four are wanted
    std::int32_t busy;  // the count when twelve are wanted
  } kCases[] = {{"All", 8, 8}, {"ScaleDown", 8, 12}, {"ScaleUp", 4, 8}};
  for (const auto& c : kCases) {
    for (const std::int32_t wanted : {4, 12}) {
      const Conclusion conclusion = Evaluate(With({Hold(c.hold)}, wanted));
      EXPECT_EQ(conclusion.status.desired_replicas, wanted < 8 ? c.idle : c.busy) << c.hold;
      const api::Condition* held = FindCondition(conclusion.status, "Held");
      ASSERT_NE(held, nullptr);
      EXPECT_EQ(held->reason, "HeldBySchedule") << c.hold;
      EXPECT_THAT(held->message, HasSubstr("schedule \"launch\" paused scal")) << c.hold;
      EXPECT_THAT(held->message, HasSubstr(" until 2026-03-04T14:00:00Z")) << c.hold;
    }
  }
  // It comes last: not even the bounds of another schedule move the count.
  EXPECT_FALSE(Decide(With({Hold("All"), Floor(12)})).rescale);
  EXPECT_FALSE(Decide(With({Ceiling(3), Hold("ScaleDown")})).rescale);
  EXPECT_TRUE(Decide(With({Ceiling(3), Hold("ScaleUp")})).rescale);
  EXPECT_TRUE(Decide(With({Ended(Hold("All"), 0)}, 12)).rescale);
}

TEST(Schedules, HoldBesideAPauseEachInItsDirection) {
  Snapshot snapshot = With({Hold("ScaleUp")}, 4);
  snapshot.autoscaler.metadata.annotations = {{api::kPausedUntil, Print(Ago(-60))},
                                              {api::kPausedDirection, "In"}};
  EXPECT_FALSE(Decide(snapshot).rescale);
  EXPECT_EQ(FindCondition(Decide(snapshot).status, "Held")->reason, "Paused");
  snapshot.metrics = {QueueOf("120")};
  EXPECT_FALSE(Decide(snapshot).rescale);
  EXPECT_EQ(FindCondition(Decide(snapshot).status, "Held")->reason, "HeldBySchedule");
}

// A life over a night: the count, and whose zero it is.
TEST(Schedules, ScaleToZeroAndWakeWithoutAMetric) {
  for (const bool by_cpu : {true, false}) {
    Snapshot snapshot = With({Ceiling(0)}, 15);
    snapshot.autoscaler.spec.min_replicas = 2;
    if (by_cpu) {
      snapshot.autoscaler.spec.metrics = {testing::CpuMetric()};
      snapshot.metrics = {Failure{"no pods"}};
    }
    const auto step = [&snapshot] {
      const Decision decision = Decide(snapshot);
      snapshot.autoscaler.status = Evaluate(snapshot).status;
      auto& scale = std::get<api::Scale>(snapshot.scale);
      scale.spec_replicas = scale.status_replicas = decision.target_replicas;
      return decision;
    };
    EXPECT_EQ(step().target_replicas, 0);
    const api::Condition* zero = FindCondition(snapshot.autoscaler.status, "ScaledToZero");
    ASSERT_NE(zero, nullptr);
    EXPECT_EQ(zero->status + zero->reason, "TrueZeroBySchedule");

    const Decision night = step();
    EXPECT_FALSE(night.rescale);
    EXPECT_FALSE(night.problem);
    const api::Condition* active = FindCondition(night.status, "ScalingActive");
    EXPECT_EQ(active->message,
              std::string("schedule \"night\" sets a maximum of 0 until ") + kUntilNight);
    EXPECT_EQ(FindCondition(night.status, "Held")->status, "False");

    snapshot.now = *snapshot.schedules->windows[0].end;
    const Decision morning = step();
    EXPECT_EQ(morning.target_replicas, 2);
    EXPECT_EQ(morning.rescale_reason, "schedule \"night\" with a maximum of 0 is over");
    EXPECT_EQ(FindCondition(snapshot.autoscaler.status, "ScaledToZero")->status, "False");
  }
}

TEST(Schedules, WakeWithAFloorButNotWhatSomebodyElseSwitchedOff) {
  for (const bool own : {true, false}) {
    Snapshot snapshot = With({Ceiling(0), Floor(3)});
    snapshot.metrics = {Failure{"down"}};
    std::get<api::Scale>(snapshot.scale).spec_replicas = 0;
    snapshot.autoscaler.status.conditions = {
        {"ScaledToZero", own ? "True" : "False", "ScaledToZero", "", kNow}};
    const Decision decision = Decide(snapshot);
    EXPECT_EQ(decision.target_replicas, own ? 3 : 0);
    EXPECT_EQ(decision.rescale, own);
    EXPECT_EQ(FindCondition(decision.status, "Held")->reason, own ? "Active" : "TargetAtZero");
  }
}

TEST(Schedules, LetTheMetricsDecideAfterANightIfTheMinimumIsZero) {
  for (const std::int32_t wanted : {0, 4}) {
    Snapshot snapshot = With({Ended(Ceiling(0), 5)}, wanted);
    snapshot.autoscaler.spec.min_replicas = 0;
    std::get<api::Scale>(snapshot.scale).spec_replicas = 0;
    snapshot.autoscaler.status.conditions = {{"ScaledToZero", "True", "ZeroBySchedule", "", kNow}};
    EXPECT_EQ(Decide(snapshot).target_replicas, wanted);
  }
}

TEST(Schedules, KeepEightForAWindowAfterAHoldOfScalingIn) {
  for (const char* hold : {"All", "ScaleDown", "ScaleUp"}) {
    for (const std::int64_t ended : {0, 299, 301}) {
      const bool keeps = ended < 300 && std::string(hold) != "ScaleUp";
      EXPECT_EQ(Decide(With({Ended(Hold(hold), ended)}, 2)).target_replicas, keeps ? 8 : 2)
          << hold << " " << ended;
    }
  }
}

// Then a zero that somebody else sets later is not the schedule's.
TEST(Schedules, ForgetTheirZeroOnceSomebodyElseHasWokenTheTarget) {
  Snapshot snapshot = With({});
  snapshot.autoscaler.status.conditions = {{"ScaledToZero", "True", "ZeroBySchedule", "", kNow}};
  const Decision woken = Decide(snapshot);
  EXPECT_EQ(FindCondition(woken.status, "ScaledToZero")->status, "False");
  snapshot.autoscaler.status = woken.status;
  std::get<api::Scale>(snapshot.scale).spec_replicas = 0;
  EXPECT_FALSE(Decide(snapshot).rescale);
}

TEST(Schedules, AreNotBlamedWhereThereAreNone) {
  Snapshot snapshot = MakePolicy(0);
  snapshot.metrics = {QueueOf("30")};
  snapshot.memory = Memory{{{Ago(100), 0}}, {}, {}, {}};
  snapshot.autoscaler.status.conditions = {{"ScaledToZero", "True", "ScaledToZero", "", kNow}};
  snapshot.autoscaler.spec.behavior.emplace().scale_up =
      api::ScalingRules{300, "Max", {{{"Pods", 4, 15}}}, {}};
  const Decision decision = Decide(snapshot);
  const Step* step = FindStep(decision.trace, Rule::kStabilization);
  ASSERT_NE(step, nullptr);
  EXPECT_THAT(step->text, HasSubstr("A recommendation within"));
}

// Whatever was recommended before: the scale-down window begins with the end of the floor.
TEST(Schedules, ScaleInAWindowAfterTheEndOfAFloor) {
  for (const bool with_behavior : {false, true}) {
    for (const std::int64_t ended : {0, 299, 301}) {
      Snapshot snapshot = With({Ended(Floor(6), ended)}, 2);
      if (with_behavior) {
        snapshot.autoscaler.spec.behavior.emplace().scale_down =
            api::ScalingRules{300, "Max", {{{"Percent", 100, 15}}}, {}};
      }
      EXPECT_EQ(Decide(snapshot).target_replicas, ended > 300 ? 2 : 6) << ended;
    }
  }
}

TEST(Schedules, DecideInADryRunAndDoNothingWhenDisabled) {
  Snapshot snapshot = With({Floor(12)});
  snapshot.autoscaler.spec.mode = "DryRun";
  EXPECT_FALSE(Decide(snapshot).rescale);
  EXPECT_EQ(Decide(snapshot).dry_run_replicas, 12);
  snapshot.schedules->windows.push_back(Hold("ScaleUp"));
  EXPECT_EQ(Decide(snapshot).dry_run_replicas, 8);
  snapshot.autoscaler.spec.mode = "Disabled";
  EXPECT_FALSE(Decide(snapshot).rescale);
  EXPECT_FALSE(Decide(snapshot).dry_run_replicas);
}

TEST(Schedules, WithAZoneThatIsGoneAreTold) {
  Snapshot snapshot = With({Floor(12)});
  snapshot.schedules->windows[0].end.reset();
  snapshot.schedules->lost = {{"day", "Mars/Phobos"}, {"night", "Mars/Deimos"}};
  const Decision decision = Decide(snapshot);
  EXPECT_EQ(decision.target_replicas, 12);
  const api::Condition* ready = FindCondition(decision.status, "Ready");
  EXPECT_EQ(ready->status + ready->reason, "FalseUnknownTimeZone");
  EXPECT_EQ(
      ready->message,
      "the time zone is not known, so that bounds and holds stay as they were last: schedule "
      "\"day\" (Mars/Phobos), schedule \"night\" (Mars/Deimos); give the schedule a zone that "
      "the zone data have");
}

TEST(Schedules, OfAnHpaDoNotExist) {
  Snapshot snapshot = With({Floor(12), Hold("All")}, 4);
  snapshot.autoscaler.kind = api::kHpaKind;
  EXPECT_EQ(Decide(snapshot).target_replicas, 4);
}

// The moment at which an evaluation is worth it, in seconds from now, and the count then.
TEST(Schedules, ReleaseAtTheNextStepStartOrEnd) {
  ScheduleWindow later = Floor(12);
  later.start = Ago(-3660);
  later.end = Ago(-7200);
  ScheduleWindow by_minutes = later;
  by_minutes.ramp_minutes = 60;  // now, to be ready a minute before its start
  ScheduleWindow down = Ceiling(4);
  down.start = kNow;
  down.ramp_minutes = 60;
  const struct {
    const char* name;
    Snapshot snapshot;
    std::int64_t after;
    std::int32_t replicas;
  } kCases[] = {
      {"a floor that rises by the rates, by default one step", With({later}), 3600, 12},
      {"a floor that rises by minutes", With({by_minutes}), 900, 9},
      {"a ceiling that comes down by minutes", With({down}), 900, 7},
      {"the end of a ceiling", With({Ceiling(8)}, 12), 17 * 3600, 12},
      {"a window after the end of a floor", With({Floor(8)}, 4), 6 * 3600 + 300, 4},
      {"a window after the end of a hold", With({Hold("All")}, 4), 7200 + 300, 4},
  };
  for (const auto& c : kCases) {
    const auto release = Evaluate(c.snapshot).release;
    ASSERT_TRUE(release) << c.name;
    EXPECT_EQ((release->at - kNow).nanoseconds / 1'000'000'000, c.after) << c.name;
    EXPECT_EQ(release->replicas, c.replicas) << c.name;
    for (const std::int64_t shift : {-1, 0}) {
      Snapshot then = c.snapshot;
      then.memory = Evaluate(c.snapshot).memory;
      then.memory->recommendations = {{Ago(7200), 4}};
      then.now = release->at + Duration{shift};
      then.settings.stale_after = Duration::Seconds(1'000'000);
      EXPECT_EQ(Decide(then).rescale, shift == 0) << c.name << " " << shift;
    }
  }
}

}  // namespace
}  // namespace ballast::engine
