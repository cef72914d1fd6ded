#include "operator/schedules/resolve_schedules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "api/base/time.h"
#include "api/decision/schedule_window_json.h"
#include "api/json/json_writer.h"

namespace ballast::schedules {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Schedules = std::vector<api::Schedule>;

Time On(const char* text) { return *ParseTime(text); }

api::Schedule Floor(const char* name, const char* from, const char* to, std::int32_t replicas) {
  return {.name = name,
          .time_zone = "Europe/Berlin",
          .days = {},
          .from = from,
          .to = to,
          .min_replicas = replicas};
}

engine::Snapshot At(const char* time, std::vector<api::Schedule> schedules) {
  engine::Snapshot snapshot{.now = On(time)};
  snapshot.autoscaler.kind = api::kPolicyKind;
  snapshot.autoscaler.metadata.generation = 1;
  snapshot.autoscaler.status.observed_generation = 1;
  snapshot.autoscaler.spec.min_replicas = 2;
  snapshot.autoscaler.spec.max_replicas = 50;
  snapshot.autoscaler.spec.schedules = std::move(schedules);
  return snapshot;
}

// The windows as "NAME START END", the next change as "START MIN-MAX NAME".
std::vector<std::string> WindowsIn(const engine::ResolvedSchedules& resolved) {
  std::vector<std::string> texts;
  for (const engine::ScheduleWindow& window : resolved.windows) {
    texts.push_back(window.name + " " + Print(window.start) + " " +
                    (window.end ? Print(*window.end) : "-"));
  }
  return texts;
}

std::string NextIn(const engine::ResolvedSchedules& resolved) {
  const auto& next = resolved.next;
  return next ? Print(next->at) + " " + std::to_string(next->bounds.min) + "-" +
                    std::to_string(next->bounds.max) + " " + next->name +
                    (next->hold.empty() ? "" : " holds " + next->hold)
              : "-";
}

TEST(ResolveSchedulesTest, NamesWindowsFromTheOneThatHasEndedToTheOneThatComes) {
  const std::vector<api::Schedule> schedules = {Floor("office-hours", "08:00", "18:00", 5),
                                                Floor("lunch", "11:30", "13:30", 9)};
  struct Case {
    const char* now;
    std::vector<std::string> windows;
    const char* next;
  };
  const std::string morning = "office-hours 2026-11-27T07:00:00Z 2026-11-27T17:00:00Z";
  const std::string lunch = "lunch 2026-11-27T10:30:00Z 2026-11-27T12:30:00Z";
  const std::vector<Case> cases = {
      {"2026-11-27T00:00:00Z", {}, "2026-11-27T07:00:00Z 5-50 office-hours"},
      {"2026-11-27T06:30:00Z", {morning}, "2026-11-27T07:00:00Z 5-50 office-hours"},
      {"2026-11-27T07:00:00Z", {morning}, "2026-11-27T10:30:00Z 9-50 lunch"},
      {"2026-11-27T10:30:00Z", {morning, lunch}, "2026-11-27T12:30:00Z 5-50 lunch"},
      {"2026-11-27T12:31:00Z", {morning, lunch}, "2026-11-27T17:00:00Z 2-50 office-hours"},
      {"2026-11-27T14:00:00Z", {morning}, "2026-11-27T17:00:00Z 2-50 office-hours"},
      {"2026-11-27T17:04:59Z", {morning}, "2026-11-28T07:00:00Z 5-50 office-hours"},
      {"2026-11-27T20:00:00Z", {}, "2026-11-28T07:00:00Z 5-50 office-hours"},
  };
  for (const Case& c : cases) {
    const auto resolved = ResolveSchedules(At(c.now, schedules), Duration::Seconds(90));
    ASSERT_TRUE(resolved) << c.now;
    EXPECT_EQ(WindowsIn(*resolved), c.windows) << c.now;
    EXPECT_EQ(NextIn(*resolved), c.next) << c.now;
    EXPECT_EQ(resolved->startup, Duration::Seconds(90));
    EXPECT_FALSE(resolved->tzdata.empty());
    EXPECT_THAT(resolved->lost, IsEmpty());
  }
}

// The record has whole seconds, and what is decided again from it must come out the same.
TEST(ResolveSchedulesTest, TheStartupIsInWholeSecondsAndNoneTooEarly) {
  const engine::Snapshot snapshot = At("2026-11-27T12:00:00Z", {Floor("day", "08:00", "18:00", 5)});
  for (const auto& [took, startup] :
       {std::pair(Duration::Milliseconds(17'001), 18), std::pair(Duration::Seconds(17), 17),
        std::pair(Duration(), 0)}) {
    EXPECT_EQ(ResolveSchedules(snapshot, took)->startup, Duration::Seconds(startup)) << Print(took);
  }
}

TEST(ResolveSchedulesTest, IsAbsentWhereNothingIsEvaluated) {
  EXPECT_FALSE(ResolveSchedules(At("2026-11-27T12:00:00Z", {}), {}));
  engine::Snapshot disabled = At("2026-11-27T12:00:00Z", {Floor("day", "08:00", "18:00", 5)});
  EXPECT_TRUE(ResolveSchedules(disabled, {}));
  disabled.autoscaler.spec.mode = "Disabled";
  EXPECT_FALSE(ResolveSchedules(disabled, {}));
  EXPECT_FALSE(StatusOf(disabled));
}

TEST(ResolveSchedulesTest, AChangeThatChangesNothingIsPassedOver) {
  // The lunch is lower than the day: neither its start nor its end is told.
  const auto resolved =
      ResolveSchedules(At("2026-11-27T08:00:00Z",
                          {Floor("day", "08:00", "18:00", 9), Floor("lunch", "11:30", "13:30", 5)}),
                       {});
  EXPECT_EQ(NextIn(*resolved), "2026-11-27T17:00:00Z 2-50 day");
  const auto never =
      ResolveSchedules(At("2026-11-27T08:00:00Z", {Floor("always", "00:00", "24:00", 9)}), {});
  EXPECT_EQ(NextIn(*never), "-");
}

// Where the calendar's search begins and ends says nothing of the window, and would be another
// status each day.
TEST(ResolveSchedulesTest, AWindowThatNeverClosesIsTheSameEachDay) {
  const auto told = [](const char* now) {
    engine::Snapshot snapshot = At(now, {Floor("always", "00:00", "24:00", 9)});
    snapshot.schedules = ResolveSchedules(snapshot, {});
    EXPECT_EQ(snapshot.schedules->windows.at(0).end, engine::kNoEnd);
    json::Writer out;
    api::Encode(out, *StatusOf(snapshot));
    return out.Take();
  };
  EXPECT_EQ(told("2026-11-27T08:00:00Z"),
            R"({"active":[{"name":"always"}],"next":null,"startupSeconds":0})");
  EXPECT_EQ(told("2026-11-28T08:00:00Z"), told("2026-11-27T08:00:00Z"));

  api::Schedule until_march = Floor("campaign", "00:00", "24:00", 9);
  until_march.except = {"2027-03-01"};
  engine::Snapshot snapshot = At("2026-11-27T08:00:00Z", {until_march});
  snapshot.schedules = ResolveSchedules(snapshot, {});
  EXPECT_EQ(StatusOf(snapshot)->active.at(0).until, On("2027-02-28T23:00:00Z"));
}

std::string Print(const engine::ResolvedSchedules& resolved) {
  json::Writer out;
  Encode(out, resolved);
  return out.Take();
}

// Whenever it is asked, also by a clock that was set back, and about the very moments of a change.
TEST(ScheduleResolverTest, WhatIsKeptIsWhatWouldBeFound) {
  api::Schedule freeze = Floor("freeze", "22:00", "06:00", 0);
  freeze.min_replicas.reset();
  freeze.hold = api::kHoldAll;
  freeze.days = {"Fri-Sun"};
  freeze.time_zone = "America/Sao_Paulo";
  api::Schedule rare = Floor("rare", "", "", 20);
  rare.cron = "30 9 24 11 *";
  rare.duration = "30h";
  rare.ramp_minutes = 600;
  api::Schedule once = Floor("once", "00:00", "24:00", 9);
  once.only = {"2028-02-29"};
  api::Schedule until_march = Floor("until-march", "00:00", "24:00", 3);
  until_march.except = {"2027-03-01"};
  api::Schedule lost = Floor("lost", "08:00", "18:00", 5);
  lost.time_zone = "Europe/Atlantis";
  const Schedules kCases[] = {
      {Floor("day", "08:00", "18:00", 5), Floor("lunch", "11:30", "13:30", 9)},
      {freeze, rare, Floor("always", "00:00", "24:00", 2)},
      {once, until_march, Floor("unnoticed", "01:00", "01:10", 1)},
      {rare, Floor("unnoticed", "01:00", "01:10", 1)},
      {once},
      {lost, Floor("day", "08:00", "18:00", 5)},
  };
  std::mt19937 random(20261128);  // NOLINT: the same each time
  for (const Schedules& schedules : kCases) {
    engine::Snapshot snapshot = At("2026-11-27T08:00:00Z", schedules);
    ScheduleResolver resolver;
    for (int i = 0; i < 3'000; ++i) {
      if (random() % 16 == 0) {
        snapshot.autoscaler.status.schedules.emplace().active = {{"lost", snapshot.now, {}}};
      }
      const auto kept = resolver.Resolve(snapshot, Duration::Seconds(60));
      const auto found = ResolveSchedules(snapshot, Duration::Seconds(60));
      ASSERT_EQ(Print(*kept), Print(*found)) << Print(snapshot.now);
      const auto& next = found->next;
      switch (random() % 8) {
        case 0:
          snapshot.now = snapshot.now - Duration::Seconds(random() % 7'200);
          break;
        case 1:
          snapshot.now = next ? next->at - Duration{1} : snapshot.now + Duration{1};
          break;
        case 2:
          snapshot.now = next ? next->at : snapshot.now + Duration{1};
          break;
        case 3:
          snapshot.now = snapshot.now + Duration::Seconds(random() % 100'000);
          break;
        default:
          snapshot.now = snapshot.now + Duration::Seconds(random() % 1'800);
      }
    }
  }
}

TEST(ScheduleResolverTest, AnEditAndAnotherStartupCountAtOnce) {
  engine::Snapshot snapshot = At("2026-11-27T08:00:00Z", {Floor("day", "08:00", "18:00", 5)});
  ScheduleResolver resolver;
  (void)resolver.Resolve(snapshot, Duration::Seconds(60));
  EXPECT_EQ(resolver.Resolve(snapshot, Duration::Seconds(90))->startup, Duration::Seconds(90));
  snapshot.autoscaler.spec.schedules = {Floor("day", "08:00", "18:00", 7)};
  EXPECT_EQ(resolver.Resolve(snapshot, Duration::Seconds(90))->windows.front().min_replicas, 7);
}

TEST(ResolveSchedulesTest, AHoldIsAChangeToo) {
  api::Schedule freeze = Floor("freeze", "12:00", "13:00", 0);
  freeze.min_replicas.reset();
  freeze.hold = api::kHoldAll;
  const auto resolved = ResolveSchedules(At("2026-11-27T08:00:00Z", {freeze}), {});
  EXPECT_EQ(NextIn(*resolved), "2026-11-27T11:00:00Z 2-50 freeze holds All");
  const auto ends = ResolveSchedules(At("2026-11-27T11:00:00Z", {freeze}), {});
  EXPECT_EQ(NextIn(*ends), "2026-11-27T12:00:00Z 2-50 freeze");
}

TEST(ResolveSchedulesTest, TheStatusShowsWhatIsOpenAndTheNextChange) {
  api::Schedule evening = Floor("evening", "18:00", "20:00", 2);
  evening.hold = api::kHoldScaleDown;
  engine::Snapshot snapshot =
      At("2026-11-27T12:31:00Z",
         {Floor("day", "08:00", "18:00", 5), Floor("lunch", "11:30", "13:30", 9), evening});
  const auto shown = [&] {
    snapshot.schedules = ResolveSchedules(snapshot, Duration::Seconds(90));
    json::Writer out;
    api::Encode(out, *StatusOf(snapshot));
    return out.Take();
  };
  EXPECT_EQ(shown(), R"({"active":[{"name":"day","since":"2026-11-27T07:00:00Z",)"
                     R"("until":"2026-11-27T17:00:00Z"}],)"
                     R"("next":{"time":"2026-11-27T17:00:00Z","schedule":"day","minReplicas":2,)"
                     R"("maxReplicas":50,"hold":"ScaleDown"},"startupSeconds":90})");
  snapshot.now = On("2026-11-27T17:00:00Z");
  EXPECT_THAT(shown(), HasSubstr(R"("maxReplicas":50,"hold":"None"})"));
}

TEST(ResolveSchedulesTest, AWindowWhoseZoneIsGoneGoesOnThroughEditsUntilItsScheduleIsGone) {
  api::Schedule lost = Floor("day", "08:00", "18:00", 5);
  lost.time_zone = "Europe/Atlantis";
  const api::Schedule late = Floor("late", "21:00", "22:00", 3);
  engine::Snapshot snapshot = At("2026-11-27T19:00:00Z", {lost, late});
  snapshot.autoscaler.status.schedules.emplace().active = {
      {"day", On("2026-11-27T07:00:00Z"), On("2026-11-27T17:00:00Z")}};
  const auto goes_on = ResolveSchedules(snapshot, {});
  EXPECT_THAT(WindowsIn(*goes_on), ElementsAre("day 2026-11-27T07:00:00Z -",
                                               "late 2026-11-27T20:00:00Z 2026-11-27T21:00:00Z"));
  ASSERT_EQ(goes_on->lost.size(), 1U);
  EXPECT_EQ(goes_on->lost.front().name, "day");
  EXPECT_EQ(goes_on->lost.front().time_zone, "Europe/Atlantis");
  snapshot.schedules = goes_on;
  const auto status = StatusOf(snapshot);
  ASSERT_EQ(status->active.size(), 1U);
  EXPECT_FALSE(status->active.front().until);

  snapshot.autoscaler.metadata.generation = 2;
  lost.min_replicas = 7;
  snapshot.autoscaler.spec.schedules = {lost, late};
  const auto edited = ResolveSchedules(snapshot, {});
  EXPECT_EQ(WindowsIn(*edited), WindowsIn(*goes_on));
  EXPECT_EQ(edited->windows.front().min_replicas, 7);

  lost.name = "another";
  snapshot.autoscaler.spec.schedules = {lost, late};
  EXPECT_THAT(WindowsIn(*ResolveSchedules(snapshot, {})),
              ElementsAre("late 2026-11-27T20:00:00Z 2026-11-27T21:00:00Z"));
}

}  // namespace
}  // namespace ballast::schedules
