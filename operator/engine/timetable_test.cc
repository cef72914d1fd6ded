#include "operator/engine/timetable.h"

#include <gtest/gtest.h>

#include <string>

#include "operator/engine/effective.h"
#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using testing::kNow;
using testing::MakePolicy;

// From a number of seconds after kNow to another.
ScheduleWindow Window(std::int64_t from, std::int64_t to, std::optional<std::int32_t> min,
                      std::optional<std::int32_t> max) {
  return {.name = "w",
          .time_zone = "UTC",
          .start = Ago(-from),
          .end = Ago(-to),
          .min_replicas = min,
          .max_replicas = max};
}

std::string Print(const Bounds& bounds) {
  return std::to_string(bounds.min) + ".." + std::to_string(bounds.max);
}

// The spec's bounds are 2 and 20; there are `current` replicas.
Snapshot With(std::vector<ScheduleWindow> windows, std::int32_t current) {
  Snapshot snapshot = MakePolicy(current);
  snapshot.autoscaler.spec.min_replicas = 2;
  snapshot.schedules.emplace().windows = std::move(windows);
  return snapshot;
}

TEST(Timetable, TakesTheHighestFloorAndTheLowestCeilingAndAFloorBeatsACeiling) {
  const struct {
    std::vector<ScheduleWindow> windows;
    const char* bounds;
  } kCases[] = {
      {{}, "2..20"},
      {{Window(-60, 60, 5, {})}, "5..20"},
      {{Window(-60, 60, {}, 8)}, "2..8"},
      {{Window(-60, 60, 5, 8)}, "5..8"},
      {{Window(-60, 60, 5, {}), Window(-60, 60, 7, {})}, "7..20"},
      {{Window(-60, 60, {}, 8), Window(-60, 60, {}, 6)}, "2..6"},
      {{Window(-60, 60, 9, {}), Window(-60, 60, {}, 6)}, "9..9"},
      {{Window(-60, 60, 1, {}), Window(-60, 60, {}, 90)}, "2..20"},  // of another spec
      {{Window(-60, 60, 90, {})}, "20..20"},
      {{Window(-60, 60, {}, 1)}, "2..2"},
      {{Window(-60, 60, {}, 0)}, "0..0"},
      {{Window(-60, 60, {}, 0), Window(-60, 60, 3, {})}, "3..3"},
      {{Window(-60, 60, {}, 0), Window(-60, 60, 2, {})}, "2..2"},  // the spec's minimum, too
      {{Window(-60, 0, 5, 8)}, "2..20"},                           // over
      {{Window(0, 60, {}, 8)}, "2..8"},                            // from now on
      {{Window(1, 60, {}, 8)}, "2..20"},                           // not yet
      {{Window(-60, 60, {}, {})}, "2..20"},                        // a hold
  };
  for (const auto& c : kCases) {
    Snapshot snapshot = With(c.windows, 0);
    EXPECT_EQ(Print(EffectiveBounds(snapshot)), c.bounds) << &c - kCases;
    EXPECT_EQ(Print(BoundsAt(snapshot.autoscaler.spec, c.windows, kNow)), c.bounds) << &c - kCases;
    snapshot.autoscaler.kind = api::kHpaKind;
    EXPECT_EQ(Print(EffectiveBounds(snapshot)), "2..20") << &c - kCases;
  }
}

TEST(Timetable, LetsAWindowGoOnWhoseEndIsNotKnown) {
  ScheduleWindow window = Window(-60, 0, 5, {});
  window.end.reset();
  const Snapshot snapshot = With({window}, 5);
  EXPECT_EQ(Print(EffectiveBounds(snapshot)), "5..20");
  EXPECT_EQ(DescribeFloor(window, 5, kNow),
            "schedule \"w\" sets a minimum of 5 until its time zone UTC is known again");
  window.end = kNoEnd;
  EXPECT_EQ(DescribeFloor(window, 5, kNow),
            "schedule \"w\" sets a minimum of 5 until the schedule is edited");
}

// A floor is there when the pods that it asks for take a minute to start; a ceiling comes down.
TEST(Timetable, MovesBoundsStepByStep) {
  api::Behavior behavior;
  behavior.scale_up = api::ScalingRules{0, "Max", {{{"Pods", 2, 60}}}, {}};
  behavior.scale_down = api::ScalingRules{0, "Max", {{{"Pods", 2, 60}}}, {}};
  const struct {
    const char* name;
    std::int64_t from;  // of the window, in seconds from now
    std::optional<std::int32_t> min;
    std::optional<std::int32_t> max;
    std::optional<std::int32_t> ramp;
    std::int32_t current;
    std::int64_t changed;  // seconds before now
    const char* bounds;
  } kCases[] = {
      {"a floor by minutes, at its beginning", 660, 12, {}, 10, 2, 9999, "2..20"},
      {"after a tenth", 600, 12, {}, 10, 2, 9999, "3..20"},
      {"half way", 360, 12, {}, 10, 2, 9999, "7..20"},
      {"half way, having followed", 360, 12, {}, 10, 7, 0, "7..20"},
      {"half way, with more from before", 360, 12, {}, 10, 9, 9999, "10..20"},
      {"half way, with enough", 360, 12, {}, 10, 15, 9999, "12..20"},
      {"when it is to be ready", 60, 12, {}, 10, 2, 9999, "12..20"},
      {"before its ramp", 661, 12, {}, 10, 2, 9999, "2..20"},
      {"a floor by rates, too early", 361, 12, {}, {}, 2, 9999, "2..20"},
      {"five minutes before", 300, 12, {}, {}, 2, 9999, "4..20"},
      {"three minutes before", 180, 12, {}, {}, 2, 9999, "8..20"},
      {"a minute before", 60, 12, {}, {}, 2, 9999, "12..20"},
      {"a ceiling by minutes, at its beginning", 0, {}, 4, 10, 14, 9999, "2..14"},
      {"half way", -300, {}, 4, 10, 14, 9999, "2..9"},
      {"half way, having followed", -300, {}, 4, 10, 9, 0, "2..9"},
      {"half way, with fewer", -300, {}, 4, 10, 3, 9999, "2..4"},
      {"at its end", -600, {}, 4, 10, 14, 9999, "2..4"},
      {"a ceiling by rates", -300, {}, 4, {}, 14, 9999, "2..12"},
      {"a ceiling by rates, after a change that is forgotten", -300, {}, 4, {}, 14, 59, "2..14"},
      {"a ceiling by rates, a period later", -300, {}, 4, {}, 14, 60, "2..12"},
      {"a ceiling by rates, below", -300, {}, 4, {}, 3, 9999, "2..4"},
      {"to zero by minutes", -300, {}, 0, 10, 14, 9999, "2..7"},
      {"to zero by minutes, near the end", -570, {}, 0, 10, 14, 9999, "1..1"},
      {"to zero by rates", -300, {}, 0, {}, 2, 9999, "0..0"},
  };
  for (const auto& c : kCases) {
    ScheduleWindow window = Window(c.from, 7200, c.min, c.max);
    window.ramp_minutes = c.ramp;
    Snapshot snapshot = With({window}, c.current);
    snapshot.autoscaler.spec.behavior = behavior;
    snapshot.autoscaler.status.last_scale_time = Ago(c.changed);
    EXPECT_EQ(Print(EffectiveBounds(snapshot)), c.bounds) << c.name;
    const bool early = c.from > 0;
    const Duration lead = LeadOf(snapshot.autoscaler.spec, window, kUnknownStartup);
    if (early && std::string(c.bounds) != "2..20") {
      EXPECT_GE(lead, Duration::Seconds(c.from)) << c.name;
    }
    EXPECT_EQ(lead, Duration::Seconds(!c.min ? 0 : c.ramp ? 660 : 300)) << c.name;
  }
}

TEST(Timetable, WaitsForTheRatesOfACeiling) {
  Snapshot snapshot = With({Window(-300, 7200, {}, 4)}, 12);
  auto& behavior = snapshot.autoscaler.spec.behavior.emplace();
  behavior.scale_down = api::ScalingRules{0, "Max", {{{"Pods", 2, 60}}}, {}};
  snapshot.memory->scale_downs = {{Ago(59), 2}};
  EXPECT_EQ(Print(EffectiveBounds(snapshot)), "2..12");
  snapshot.memory->scale_downs = {{Ago(60), 2}};
  EXPECT_EQ(Print(EffectiveBounds(snapshot)), "2..10");
  behavior.scale_down->select_policy = "Disabled";  // without rates it is there at once
  EXPECT_EQ(Print(EffectiveBounds(snapshot)), "2..4");
}

TEST(Timetable, LetsACeilingComeDownFromTheEndOfTheFloorThatBeatIt) {
  ScheduleWindow ceiling = Window(-7200, 7200, {}, 4);
  ceiling.ramp_minutes = 10;
  const struct {
    std::int32_t floor;
    std::int64_t ended;  // seconds ago
    const char* bounds;
  } kCases[] = {{14, 0, "2..14"}, {14, 300, "2..9"}, {14, 600, "2..4"}, {3, 0, "2..4"}};
  for (const auto& c : kCases) {
    Snapshot snapshot = With({ceiling, Window(-3600, -c.ended, c.floor, {})}, 14);
    EXPECT_EQ(Print(EffectiveBounds(snapshot)), c.bounds) << c.ended;
    snapshot.autoscaler.spec.schedules = {{.ramp_minutes = 10}};
    EXPECT_EQ(TailOf(snapshot.autoscaler.spec, {}), Duration::Seconds(600));
  }
}

TEST(Timetable, LetsACeilingWaitForAWindowAfterWhatKeptItFromComingDown) {
  ScheduleWindow hold = Window(-3600, 0, {}, {});
  hold.hold = "All";
  for (const ScheduleWindow& kept : {Window(-3600, 0, 14, {}), hold}) {
    for (const std::optional<std::int32_t> ramp : {std::optional<std::int32_t>(), {10}}) {
      for (const std::int64_t ended : {0, 299, 300}) {
        ScheduleWindow ceiling = Window(-7200, 7200, {}, 4);
        ceiling.ramp_minutes = ramp;
        ScheduleWindow before = kept;
        before.end = Ago(ended);
        const auto& bounds = EffectiveBounds(With({ceiling, before}, 14));
        const char* expected = ramp ? (ended == 0     ? "2..14"
                                       : ended == 299 ? "2..10"
                                                      : "2..9")
                                    : (ended < 300 ? "2..14" : "2..4");
        EXPECT_EQ(Print(bounds), expected) << ended;
      }
    }
  }
}

// As where the night begins when the day ends. What the floor did not keep it leaves to the
// ceiling.
TEST(Timetable, LetsACeilingWaitForAWindowAfterWhatEndedBeforeItsStart) {
  for (const std::int32_t floor : {14, 6}) {
    for (const std::int64_t start : {0, 60, 299}) {
      for (const std::int64_t now : {299, 300}) {
        const auto& bounds = EffectiveBounds(
            With({Window(start - now, 7200, {}, 4), Window(-3600, -now, floor, {})}, 14));
        EXPECT_EQ(Print(bounds), now < 300 ? "2.." + std::to_string(floor) : "2..4")
            << floor << " " << start << " " << now;
      }
    }
  }
}

// What only a ceiling keeps down may rise at its end.
TEST(Timetable, MovesNoCountThatIsWithinItsBounds) {
  ScheduleWindow hold = Window(-60, 60, {}, {});
  hold.hold = "All";
  ScheduleWindow pin = hold;
  pin.pin = 6;
  const struct {
    ScheduleWindow window;
    std::int32_t stays_from;  // the counts that stay as they are
    std::int32_t stays_to;
  } kCases[] = {
      {hold, 0, 20},
      {Window(60, 120, 5, {}), 5, 20},
      {Window(60, 120, {}, 8), 0, 7},
      {Window(-60, 60, 5, 8), 5, 7},
      {Window(-60, 60, 90, {}), 20, 20},
      {Window(-60, 60, {}, 0), 0, -1},
      {pin, 0, -1},
  };
  for (const auto& c : kCases) {
    for (std::int32_t count = 0; count <= 20; ++count) {
      const Snapshot snapshot = With({c.window}, count);
      EXPECT_EQ(TimetableOf(snapshot).Moves(count), count < c.stays_from || count > c.stays_to)
          << Print(c.window.start) << " " << count;
    }
  }
}

TEST(Timetable, HoldsForAScaleDownWindowWhatAFloorHasHeld) {
  const struct {
    std::int64_t ended;  // seconds ago
    std::int32_t current;
    std::int32_t held;
  } kCases[] = {{0, 10, 8}, {299, 10, 8}, {300, 10, 0}, {299, 5, 5}, {-1, 10, 0}};
  for (const auto& c : kCases) {
    const Snapshot snapshot = With({Window(-7200, -c.ended, 8, {})}, c.current);
    EXPECT_EQ(ScheduledBoundsOf(snapshot).held, c.held) << c.ended;
  }
  EXPECT_EQ(TailOf(MakePolicy(1).autoscaler.spec, {}), Duration::Seconds(300));
}

}  // namespace
}  // namespace ballast::engine
