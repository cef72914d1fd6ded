#include "operator/cli/cluster/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/mode.h"
#include "operator/cli/cluster/autoscaler_table.h"
#include "operator/engine/testing/test_snapshot.h"

namespace ballast::cli {
namespace {

using engine::testing::Ago;

api::Autoscaler Make(const char* kind, std::vector<api::Condition> conditions) {
  api::Autoscaler made{.kind = kind};
  made.metadata.namespace_ = "shop";
  made.metadata.name = "web";
  made.spec.scale_target_ref = {.kind = "Deployment", .name = "web"};
  made.spec.max_replicas = 10;
  made.status.current_replicas = 4;
  made.status.desired_replicas = 6;
  made.status.conditions = std::move(conditions);
  return made;
}

TEST(Summary, SaysWhetherItWorksAndWhatLimitsIt) {
  const api::Condition ready{"Ready", "True", "Evaluated", "", {}};
  const api::Condition able{"AbleToScale", "True", "ReadyForNewScale", "", {}};
  const api::Condition active{"ScalingActive", "True", "ValidMetricFound", "", {}};
  const struct {
    const char* what;
    const char* kind;
    std::vector<api::Condition> conditions;
    const char* ready;
    const char* reason;
    const char* limited_by;
  } kCases[] = {
      {"a new policy", api::kPolicyKind, {}, "Unknown", "NotEvaluatedYet", ""},
      {"a policy that works", api::kPolicyKind, {ready}, "True", "Evaluated", ""},
      {"at its maximum",
       api::kPolicyKind,
       {ready, {"ScalingLimited", "True", "TooManyReplicas", "", {}}},
       "True",
       "Evaluated",
       "maxReplicas"},
      {"a window is no limit of a policy that is within its bounds",
       api::kPolicyKind,
       {ready,
        {"AbleToScale", "True", "ScaleDownStabilized", "", {}},
        {"ScalingLimited", "False", "DesiredWithinRange", "", {}}},
       "True",
       "Evaluated",
       "scale-down window"},
      {"a hold counts before a limit",
       api::kPolicyKind,
       {ready,
        {"ScalingLimited", "True", "TooManyReplicas", "", {}},
        {"Held", "True", "Paused", "", {}}},
       "True",
       "Evaluated",
       "hold: Paused"},
      {"a hold by an override",
       api::kPolicyKind,
       {ready,
        {"Held",
         "True",
         "Paused",
         "override \"web-hold-x\" of alice paused scaling until ...",
         {}}},
       "True",
       "Evaluated",
       "hold: override web-hold-x"},
      {"a pause whose reason speaks of a schedule",
       api::kPolicyKind,
       {ready,
        {"Held",
         "True",
         "Paused",
         "alice paused scaling until ...: schedule \"day\" is wrong",
         {}}},
       "True",
       "Evaluated",
       "hold: Paused"},
      {"a dry run that an override would scale",
       api::kPolicyKind,
       {ready,
        {"Held",
         "True",
         "DryRun",
         "would scale from 4 to 9: override \"web-floor-x\" of alice sets a minimum of 9 until ...",
         {}}},
       "True",
       "Evaluated",
       "hold: DryRun"},
      {"an override's floor",
       api::kPolicyKind,
       {ready,
        {"ScalingLimited",
         "True",
         "TooFewReplicas",
         "the desired replica count is less than the minimum replica count: override "
         "\"web-floor-x\" of alice sets a minimum of 9 until ...",
         {}}},
       "True",
       "Evaluated",
       "override web-floor-x"},
      {"an override that switched the target off",
       api::kPolicyKind,
       {ready,
        {"ScalingActive",
         "False",
         "ScalingDisabled",
         "override \"web-pin-x\" of alice pins the replicas to 0 until ...",
         {}},
        {"ScalingLimited", "True", "TooManyReplicas", "", {}}},
       "True",
       "Evaluated",
       "override web-pin-x"},
      {"a limit without a word here",
       api::kPolicyKind,
       {ready, {"ScalingLimited", "True", "Curved", "", {}}},
       "True",
       "Evaluated",
       "Curved"},
      {"a policy without metrics",
       api::kPolicyKind,
       {{"Ready", "False", "MetricsUnavailable", "", {}}},
       "False",
       "MetricsUnavailable",
       ""},
      {"a conflict",
       api::kPolicyKind,
       {ready, {"Conflicted", "True", "TugOfWar", "", {}}},
       "False",
       "TugOfWar",
       ""},
      {"a disk that is full",
       api::kPolicyKind,
       {ready, {"HistoryDegraded", "True", "WritesFail", "", {}}},
       "False",
       "HistoryDegraded",
       ""},
      {"an HPA that works", api::kHpaKind, {able, active}, "True", "ValidMetricFound", ""},
      {"an HPA without metrics",
       api::kHpaKind,
       {able, {"ScalingActive", "False", "FailedGetResourceMetric", "", {}}},
       "False",
       "FailedGetResourceMetric",
       ""},
      {"an HPA that Ballast may not manage",
       api::kHpaKind,
       {able, active, {api::kManaged, "False", "OtherController", "", {}}},
       "False",
       "OtherController",
       ""},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.what);
    const Summary summary = Summarize(Make(c.kind, c.conditions));
    EXPECT_EQ(summary.ready, c.ready);
    EXPECT_EQ(summary.reason, c.reason);
    EXPECT_EQ(summary.limited_by, c.limited_by);
    EXPECT_EQ(summary.healthy(), summary.ready == "True");
  }
}

engine::ScheduleWindow Window(const char* name, std::int64_t from, std::int64_t to) {
  return {.name = name, .time_zone = "UTC", .start = Ago(-from), .end = Ago(-to)};
}

// As the engine words its conditions.
TEST(Summary, NamesTheScheduleThatLimits) {
  const struct {
    const char* what;
    std::int32_t count;
    std::int32_t wanted;
    std::function<engine::ScheduleWindow()> window;
    const char* limited_by;
  } kCases[] = {
      {"a floor", 8, 2,
       [] {
         auto window = Window("day", -60, 60);
         window.min_replicas = 8;
         return window;
       },
       "schedule day"},
      {"a floor that rises", 7, 2,
       [] {
         auto window = Window("day", 360, 7200);
         window.min_replicas = 12;
         window.ramp_minutes = 10;
         return window;
       },
       "schedule day, on its way to 12"},
      {"a floor that is over", 6, 2,
       [] {
         auto window = Window("day", -3600, -10);
         window.min_replicas = 6;
         return window;
       },
       "scale-down window after schedule day"},
      {"a ceiling", 8, 15,
       [] {
         auto window = Window("night", -3600, 60);
         window.max_replicas = 8;
         return window;
       },
       "schedule night"},
      {"a ceiling that comes down", 9, 15,
       [] {
         auto window = Window("night", -300, 7200);
         window.max_replicas = 4;
         window.ramp_minutes = 10;
         return window;
       },
       "schedule night, on its way to 4"},
      {"a ceiling of 0", 0, 15,
       [] {
         auto window = Window("night", -3600, 60);
         window.max_replicas = 0;
         return window;
       },
       "schedule night"},
      {"a hold", 8, 2,
       [] {
         auto window = Window("freeze", -3600, 60);
         window.hold = api::kHoldAll;
         return window;
       },
       "hold: schedule freeze"},
  };
  for (const auto& c : kCases) {
    engine::Snapshot snapshot = engine::testing::MakePolicy(c.count);
    snapshot.metrics = {engine::testing::QueueOf(std::to_string(10 * c.wanted))};
    snapshot.memory = engine::Memory{{{Ago(400), c.count}}, {}, {}, {}};
    snapshot.schedules.emplace().windows = {c.window()};
    snapshot.autoscaler.status.last_scale_time = Ago(0);
    snapshot.autoscaler.status.conditions = {{"ScaledToZero", "True", "ZeroBySchedule", "", {}}};
    snapshot.autoscaler.status = engine::testing::Evaluate(snapshot).status;
    EXPECT_EQ(Summarize(snapshot.autoscaler).limited_by, c.limited_by) << c.what;
  }
}

// Nothing tells of what the metrics ask for, neither of these moves nor before them.
TEST(Summary, NamesTheBoundThatMovesTheCountWithoutMetrics) {
  const auto floor = [](const char* name, std::int64_t from, std::int32_t replicas) {
    auto window = Window(name, from, 7200);
    window.min_replicas = replicas;
    return window;
  };
  auto rising = floor("day", 360, 12);
  rising.ramp_minutes = 10;
  auto of_alice = floor("web-floor-x", -60, 7);
  of_alice.origin = engine::OverrideOrigin{"alice", "sale"};
  auto night = Window("night", -60, 60);
  night.max_replicas = 2;
  const struct {
    const char* what;
    std::vector<engine::ScheduleWindow> schedules;
    std::vector<engine::ScheduleWindow> overrides;
    const char* before;  // the reason of ScalingLimited; empty: nothing limited the count
    const char* limited_by;
  } kCases[] = {
      {"a floor", {floor("day", -60, 8)}, {}, "", "schedule day"},
      {"a floor that rises", {rising}, {}, "", "schedule day, on its way to 12"},
      {"after the spec's minimum",
       {rising},
       {},
       "TooFewReplicas",
       "schedule day, on its way to 12"},
      {"a ceiling", {night}, {}, "TooFewReplicas", "schedule night"},
      {"an override before tomorrow's floor",
       {floor("day", 7000, 8)},
       {of_alice},
       "TooFewReplicas",
       "override web-floor-x"},
  };
  for (const auto& c : kCases) {
    engine::Snapshot snapshot = engine::testing::MakePolicy(3);
    snapshot.metrics.clear();
    snapshot.schedules.emplace().windows = c.schedules;
    snapshot.overrides = c.overrides;
    api::AutoscalerStatus& status = snapshot.autoscaler.status;
    if (*c.before != '\0') {
      status.conditions = {{"ScalingLimited", "True", c.before, "the desired count", {}}};
    }
    status = engine::testing::Evaluate(snapshot).status;
    EXPECT_NE(status.desired_replicas, 3) << c.what;
    // As the controller adds it.
    status.schedules.emplace().next = api::NextScheduleChange{Ago(-7000), "day", 8, 10, ""};
    EXPECT_EQ(Summarize(snapshot.autoscaler).limited_by, c.limited_by) << c.what;
  }
}

TEST(Summary, NamesTheMode) {
  api::Autoscaler policy = Make(api::kPolicyKind, {});
  EXPECT_EQ(Summarize(policy).mode, "Active");
  policy.spec.mode = "DryRun";
  EXPECT_EQ(Summarize(policy).mode, "DryRun");
  api::Autoscaler hpa = Make(api::kHpaKind, {});
  EXPECT_EQ(Summarize(hpa).mode, "");
  hpa.metadata.annotations[api::kHpaMode] = "manage";
  EXPECT_EQ(Summarize(hpa).mode, "manage");
}

TEST(Summary, HasTheNamesOfTheApiInJson) {
  api::Autoscaler policy = Make(api::kPolicyKind, {{"Ready", "True", "Evaluated", "fine", {}}});
  policy.status.last_scale_time = Time(1'700'000'000, 0);
  EXPECT_EQ(
      JsonOf(Summarize(policy)),
      R"({"kind":"AutoScalePolicy","namespace":"shop","name":"web","target":"Deployment/web",)"
      R"("mode":"Active","minReplicas":1,"maxReplicas":10,"currentReplicas":4,)"
      R"("desiredReplicas":6,"ready":"True","reason":"Evaluated","message":"fine",)"
      R"("limitedBy":"","lastScaleTime":"2023-11-14T22:13:20Z"})");
}

TEST(Summary, HasTheSchedulesThatAreOpenAndTheNextChange) {
  api::Autoscaler policy = Make(api::kPolicyKind, {});
  const Time now(1'700'000'000, 0);
  policy.status.schedules.emplace() = {
      .active = {{"office-hours", now, now}, {"freeze", now, now}},
      .next = api::NextScheduleChange{now + Duration::Seconds(3900), "freeze", 2, 10, "None"}};
  const Summary summary = Summarize(policy);
  const std::string table = Align(RowsOf({summary}, {.wide = true, .headers = false, .now = now}));
  EXPECT_THAT(table, ::testing::HasSubstr("office-hours,freeze  2-10 in 1h5m (freeze)"));
  EXPECT_THAT(JsonOf(summary),
              ::testing::EndsWith(R"("schedules":["office-hours","freeze"],"nextChange":{)"
                                  R"("time":"2023-11-14T23:18:20Z","schedule":"freeze",)"
                                  R"("minReplicas":2,"maxReplicas":10,"hold":"None"}})"));
}

TEST(Summary, SaysWhetherAHoldBeginsOrEndsWithTheNextChange) {
  const struct {
    std::vector<std::string> open;
    const char* hold;
    const char* shown;
  } kCases[] = {
      {{}, "", "  2-10 in 1h (x)"},  // of an earlier version
      {{}, api::kHoldNone, "  2-10 in 1h (x)"},
      {{"day"}, api::kHoldNone, "  2-10 in 1h (x)"},
      {{"day"}, api::kHoldAll, "  2-10 hold All in 1h (x)"},
      {{"day", "freeze"}, api::kHoldScaleDown, "  2-10 hold ScaleDown in 1h (x)"},
      {{"day", "freeze"}, api::kHoldNone, "  2-10 hold None in 1h (x)"},
  };
  const Time now(1'700'000'000, 0);
  for (const auto& c : kCases) {
    api::Autoscaler policy = Make(api::kPolicyKind, {});
    policy.spec.schedules = {{.name = "day", .min_replicas = 2},
                             {.name = "freeze", .hold = api::kHoldAll}};
    api::ScheduleStatus& status = policy.status.schedules.emplace();
    status.next = api::NextScheduleChange{now + Duration::Seconds(3600), "x", 2, 10, c.hold};
    for (const std::string& name : c.open) {
      status.active.push_back({name, now, now});
    }
    const AutoscalerTableStyle style{.wide = true, .headers = false, .now = now};
    EXPECT_THAT(Align(RowsOf({Summarize(policy)}, style)), ::testing::HasSubstr(c.shown));
  }
}

// A condition's message may be whatever an API server or another controller wrote.
TEST(RowsOf, HasALineForEach) {
  const auto hpa =
      Make(api::kHpaKind, {{"ScalingActive", "False", "Failed", "no\nmetric \x1b]0;x\x07", {}}});
  const std::string table = Align(RowsOf({Summarize(hpa)}, {.wide = true, .headers = false}));
  EXPECT_THAT(table, ::testing::EndsWith("  no metric \uFFFD]0;x\uFFFD\n"));
  EXPECT_EQ(std::ranges::count(table, '\n'), 1);
}

}  // namespace
}  // namespace ballast::cli
