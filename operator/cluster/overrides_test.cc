#include "operator/cluster/overrides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace ballast::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Time kNoon{1'772'625'600, 0};  // 2026-03-04T12:00:00Z

Time At(int minutes) { return kNoon + Duration::Seconds(std::int64_t{minutes} * 60); }

// Made at `made`, from then until `until`, all in minutes after noon.
api::AutoScaleOverride Floor(const std::string& name, int made, int until, std::int32_t replicas) {
  api::AutoScaleOverride override;
  override.metadata.name = override.metadata.uid = name;
  override.metadata.creation_timestamp = At(made);
  override.spec.kind = api::kPolicyKind;
  override.spec.name = "web";
  override.spec.until = At(until);
  override.spec.reason = "sale";
  override.spec.owner = "alice";
  override.spec.floor = replicas;
  return override;
}

OverridePointer Shared(api::AutoScaleOverride override) {
  const auto errors = CheckOverride(override, api::kUsualLongestOverride);
  override.problem = errors.empty() ? "" : Print(errors.front());
  return std::make_shared<const api::AutoScaleOverride>(std::move(override));
}

// "a 5 [0,10)": name, floor and minutes.
std::vector<std::string> Windows(const std::vector<OverridePointer>& all, int since, int now = 60) {
  const auto minute = [](Time time) {
    return std::to_string((time - kNoon).nanoseconds / Duration::Seconds(60).nanoseconds);
  };
  std::vector<std::string> printed;
  for (const engine::ScheduleWindow& window : WindowsOf(all, At(since), At(now))) {
    printed.push_back(window.name + " " + std::to_string(window.min_replicas.value_or(0)) + " [" +
                      minute(window.start) + "," + minute(*window.end) + ")");
  }
  return printed;
}

TEST(Overrides, OfOneTypeTheNewestCounts) {
  const OverridePointer older = Shared(Floor("a", 0, 60, 5));
  const OverridePointer newer = Shared(Floor("b", 10, 30, 3));
  EXPECT_THAT(Windows({older, newer}, 0), ElementsAre("a 5 [0,10)", "b 3 [10,30)", "a 5 [30,60)"));
  EXPECT_THAT(Windows({newer, older}, 0), Windows({older, newer}, 0)) << "in any order";

  api::AutoScaleOverride to_come = Floor("e", 0, 60, 7);
  to_come.spec.from = At(20);
  EXPECT_THAT(Windows({Shared(to_come), newer}, 0), ElementsAre("b 3 [10,30)", "e 7 [30,60)"))
      << "one that begins later is no newer";

  const OverridePointer twin = Shared(Floor("c", 10, 30, 9));  // of the same second
  EXPECT_THAT(Windows({newer, twin}, 0), ElementsAre("c 9 [10,30)"));

  api::AutoScaleOverride ceiling = Floor("d", 20, 30, 0);
  ceiling.spec.floor.reset();
  ceiling.spec.ceiling = 4;
  EXPECT_THAT(Windows({newer, Shared(ceiling)}, 0), ElementsAre("b 3 [10,30)", "d 0 [20,30)"))
      << "those of two types do not supersede each other";
}

TEST(Overrides, CountWhenTheySay) {
  api::AutoScaleOverride later = Floor("later", 0, 60, 5);
  later.spec.from = At(40);
  EXPECT_THAT(Windows({Shared(later)}, 0), ElementsAre("later 5 [40,60)"));

  EXPECT_THAT(Windows({Shared(Floor("a", 0, 10, 5))}, 9), ElementsAre("a 5 [0,10)"));
  EXPECT_THAT(Windows({Shared(Floor("a", 0, 10, 5))}, 10), IsEmpty());

  EXPECT_THAT(Windows({Shared(Floor("long", 0, 8 * 24 * 60, 5))}, 1), IsEmpty()) << "invalid";
  EXPECT_THAT(Windows({Shared(Floor("a", 0, 600, 5)), Shared(Floor("b", 10, 30, 3))}, 30),
              ElementsAre("a 5 [0,600)"))
      << "one that ended long ago leaves no trace";

  api::AutoScaleOverride deleted = Floor("deleted", 0, 60, 5);
  deleted.metadata.deletion_timestamp = At(5);
  EXPECT_THAT(Windows({Shared(deleted)}, 1), IsEmpty());
}

// Ended by somebody whose clock is a day ahead, as was recorded at that minute, if it was.
api::AutoScaleOverride Ended(api::AutoScaleOverride override, std::optional<int> recorded) {
  override.ended = Print(At(24 * 60));
  if (recorded) {
    override.status.ended = At(*recorded);
  }
  return override;
}

TEST(Overrides, CountUntilTheOperatorSeesThatSomebodyHasEndedThem) {
  const OverridePointer older = Shared(Floor("a", 0, 60, 5));
  const struct {
    const char* name;
    std::optional<int> recorded;
    int since;
    int now;
    std::vector<std::string> windows;
  } kCases[] = {
      {"lately", 20, 0, 21, {"a 5 [0,10)", "b 3 [10,20)", "a 5 [20,60)"}},
      {"just now", {}, 0, 21, {"a 5 [0,10)", "b 3 [10,21)", "a 5 [21,60)"}},
      {"long ago", 20, 20, 25, {"a 5 [0,60)"}},
      {"by a clock that was ahead", 24, 0, 21, {"a 5 [0,10)", "b 3 [10,21)", "a 5 [21,60)"}},
      {"before it began", 5, 0, 21, {"a 5 [0,60)"}},
      {"before it begins", {}, 0, 9, {"a 5 [0,60)"}},
      {"after it was over", 30, 0, 40, {"a 5 [0,10)", "b 3 [10,30)", "a 5 [30,60)"}},
      {"after it was over, just now", {}, 0, 40, {"a 5 [0,10)", "b 3 [10,30)", "a 5 [30,60)"}},
  };
  for (const auto& c : kCases) {
    const OverridePointer newer = Shared(Ended(Floor("b", 10, 30, 3), c.recorded));
    EXPECT_THAT(Windows({older, newer}, c.since, c.now), c.windows) << c.name;
    EXPECT_EQ(OpenWindowsOf({older, newer}, At(c.now)).front().name, "a") << c.name;
    EXPECT_EQ(NextChange({newer}, At(c.now)), std::nullopt) << c.name;
  }
}

TEST(Overrides, OneThatIsMadeEndedNeverCounts) {
  for (const std::optional<int> recorded : {std::optional<int>(), std::optional(20)}) {
    api::AutoScaleOverride copy = Ended(Floor("b", 10, 30, 3), recorded);
    copy.metadata.generation = 1;
    EXPECT_THAT(Windows({Shared(copy)}, 0, 21), IsEmpty());
    EXPECT_EQ(StatusAt(copy, nullptr, At(21)).ended, At(recorded.value_or(10)));
    copy.metadata.generation = 2;
    EXPECT_FALSE(Windows({Shared(copy)}, 0, 21).empty());
  }
}

TEST(Overrides, AHoldThatSomebodyEndsEarlyIsOver) {
  api::AutoScaleOverride hold = Floor("b", 10, 30, 3);
  hold.spec.floor.reset();
  hold.spec.hold = "All";
  EXPECT_THAT(Windows({Shared(Ended(hold, 20))}, 0, 21), IsEmpty());
  EXPECT_THAT(Windows({Shared(Ended(hold, {}))}, 0, 21), IsEmpty());
  for (const std::optional<int> recorded : {std::optional<int>(), std::optional(30)}) {
    EXPECT_THAT(Windows({Shared(Ended(hold, recorded))}, 0, 31), ElementsAre("b 0 [10,30)"))
        << "it had ended by itself";
  }
}

// A second is a server's unit: what was made and ended within one has counted.
TEST(Overrides, AnEarlyEndIsRecordedOnce) {
  const api::AutoScaleOverride floor = Floor("a", 0, 60, 5);
  const struct {
    const char* name;
    api::AutoScaleOverride override;
    Time now;
    std::optional<Time> recorded;
  } kCases[] = {
      {"not ended", floor, At(30), std::nullopt},
      {"seen", Ended(floor, {}), At(0) + Duration::Milliseconds(700), At(0) + Duration::Seconds(1)},
      {"seen before", Ended(floor, 20), At(30), At(20)},
      {"by a clock that was ahead", Ended(floor, 20), At(10), At(20)},
      {"over already", Ended(floor, {}), At(61), At(60)},
      {"invalid", Ended(Floor("a", 0, 8 * 24 * 60, 5), 20), At(30), At(20)},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(StatusAt(*Shared(c.override), nullptr, c.now).ended, c.recorded) << c.name;
  }
}

TEST(Overrides, HaveAPhase) {
  api::AutoScaleOverride later = Floor("later", 0, 60, 5);
  later.spec.from = At(40);
  const OverridePointer first = Shared(Floor("first", 0, 60, 5));
  const std::vector<OverridePointer> all = {first,
                                            Shared(Floor("second", 10, 20, 3)),
                                            Shared(later),
                                            Shared(Floor("bad", 0, 0, 3)),
                                            Shared(Ended(*first, 30)),
                                            Shared(Ended(*first, {}))};
  const api::AutoScaleOverride& second = *all[1];
  const struct {
    std::size_t which;
    int now;
    const api::AutoScaleOverride* newest;
    const char* phase;
    const char* message;
  } kCases[] = {
      {0, 5, first.get(), kPhaseActive, ""},
      {0, 10, &second, kPhaseSuperseded, "second is newer and counts until 2026-03-04T12:20:00Z"},
      {0, 20, nullptr, kPhaseActive, ""},
      {0, 60, nullptr, kPhaseExpired, ""},
      {1, 19, &second, kPhaseActive, ""},
      {1, 20, first.get(), kPhaseExpired, ""},
      {2, 39, first.get(), kPhasePending, "begins at 2026-03-04T12:40:00Z"},
      {3, 5, first.get(), kPhaseInvalid,
       "spec.until: must be later than 2026-03-04T12:00:00Z, when it begins"},
      {4, 31, first.get(), kPhaseExpired, "ended early, at 2026-03-04T12:30:00Z"},
      {4, 29, first.get(), kPhaseExpired, "ended early, at 2026-03-04T12:30:00Z"},
      {5, 31, first.get(), kPhaseExpired, "ended early, at 2026-03-04T12:31:01Z"},
      {5, 62, nullptr, kPhaseExpired, ""},
  };
  for (const auto& c : kCases) {
    const api::OverrideStatus status = StatusAt(*all[c.which], c.newest, At(c.now));
    EXPECT_EQ(status.phase, c.phase) << c.which << " at " << c.now;
    EXPECT_EQ(status.message, c.message) << c.which << " at " << c.now;
  }
}

TEST(Overrides, TellWhenTheirStatusChangesNext) {
  const OverridePointer first = Shared(Floor("first", 0, 60, 5));
  const OverridePointer second = Shared(Floor("second", 10, 20, 3));
  EXPECT_EQ(NextChange({first}, At(-1)), At(0));
  EXPECT_EQ(NextChange({first}, At(0)), At(60));
  EXPECT_EQ(NextChange({first, second}, At(10)), At(20));
  EXPECT_EQ(NextChange({first}, At(60)), std::nullopt);

  api::AutoScaleOverride deleted = Floor("deleted", 0, 60, 5);
  deleted.metadata.deletion_timestamp = At(5);
  EXPECT_EQ(NextChange({Shared(deleted), Shared(Floor("long", 0, 8 * 24 * 60, 5))}, At(1)),
            std::nullopt)
      << "what is deleted or invalid never counts";
}

// For each moment, those of the windows that contain it.
TEST(Overrides, AreOpenAsTheirWindowsSay) {
  api::AutoScaleOverride later = Floor("later", 0, 60, 7);
  later.spec.from = At(40);
  api::AutoScaleOverride ceiling = Floor("ceiling", 5, 15, 0);
  ceiling.spec.floor.reset();
  ceiling.spec.ceiling = 4;
  api::AutoScaleOverride deleted = Floor("deleted", 0, 60, 9);
  deleted.metadata.deletion_timestamp = At(1);
  const std::vector<OverridePointer> all = {Shared(Floor("older", 0, 50, 5)),
                                            Shared(Floor("newer", 10, 30, 3)),
                                            Shared(Floor("twin", 10, 30, 2)),
                                            Shared(later),
                                            Shared(ceiling),
                                            Shared(deleted),
                                            Shared(Ended(Floor("ended", 12, 50, 8), 20)),
                                            Shared(Floor("invalid", 0, 0, 3))};
  for (int now = -5; now <= 65; now += 5) {
    const auto open = OpenWindowsOf(all, At(now));
    std::vector<std::string> names;
    for (const engine::ScheduleWindow& window : open) {
      names.push_back(window.name);
    }
    std::vector<std::string> expected;
    for (const engine::ScheduleWindow& window : WindowsOf(all, At(now), At(now))) {
      if (window.Contains(At(now))) {
        expected.push_back(window.name);
      }
    }
    EXPECT_THAT(names, ::testing::UnorderedElementsAreArray(expected)) << now;
    EXPECT_TRUE(SameOverrides(open, WindowsOf(all, At(now), At(now)), At(now))) << now;
  }
}

TEST(Overrides, AreTheSameIfTheyDoTheSameNow) {
  const auto floor = WindowsOf({Shared(Floor("a", 0, 60, 5))}, At(1), At(1));
  EXPECT_TRUE(SameOverrides(floor, floor, At(1)));
  EXPECT_FALSE(SameOverrides(floor, {}, At(1)));
  EXPECT_TRUE(SameOverrides(floor, {}, At(60))) << "it is over";
  EXPECT_FALSE(
      SameOverrides(floor, WindowsOf({Shared(Floor("b", 0, 60, 5))}, At(1), At(1)), At(1)));
}

// They go on one line of a condition, whatever their authors wrote.
TEST(Overrides, AreTold) {
  api::AutoScaleOverride override = Floor("a", 0, 60, 5);
  override.spec.reason = "black\nfriday" + std::string(400, '!');
  const auto windows = WindowsOf({Shared(override)}, At(1), At(1));
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(windows.front().origin->owner, "alice");
  EXPECT_THAT(windows.front().origin->reason, ::testing::StartsWith("black friday!"));
  EXPECT_EQ(windows.front().origin->reason.size(), 300U);
}

}  // namespace
}  // namespace ballast::cluster
