#include "operator/session/status_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "operator/engine/conditions.h"

namespace ballast::session {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Time kNow(1'700'000'000, 0);

api::Autoscaler CpuPolicy() {
  api::Autoscaler policy{.kind = api::kPolicyKind};
  api::MetricSpec metric{.type = "Resource"};
  metric.resource = {.name = "cpu", .target = {.type = "Utilization", .average_utilization = 60}};
  policy.spec.metrics.push_back(metric);
  return policy;
}

api::AutoscalerStatus CpuStatus(std::optional<std::int32_t> utilization) {
  api::AutoscalerStatus status{.current_replicas = 3, .desired_replicas = 3};
  status.current_metrics.push_back(
      {.type = "Resource", .resource = "cpu", .current = {.average_utilization = utilization}});
  status.conditions.push_back({"Ready", "True", "Evaluated", "all is well", kNow});
  return status;
}

TEST(StatusReport, TellsNewsAtOnce) {
  const process::SteadyTime start{};
  StatusReport report(CpuPolicy().spec, CpuStatus(45));
  EXPECT_FALSE(report.Due(CpuPolicy(), CpuStatus(45), {}, {}, {}, start + hours(1)));

  api::AutoscalerStatus scaled = CpuStatus(90);
  scaled.desired_replicas = 5;
  const auto patch = report.Due(CpuPolicy(), scaled, LastDecision{7, kNow, engine::Rule::kLimits},
                                {}, {}, start + seconds(2));
  ASSERT_TRUE(patch);
  EXPECT_THAT(patch->status, HasSubstr(R"("desiredReplicas":5)"));
  EXPECT_THAT(patch->status, HasSubstr(R"("targets":"cpu: 90%/60%")"));
  EXPECT_THAT(patch->status,
              AllOf(HasSubstr(R"("lastDecision":{"id":"7",)"), HasSubstr(R"("limit":"limits")")));
  // Without Sent() it is offered again.
  ASSERT_TRUE(report.Due(CpuPolicy(), scaled, {}, {}, {}, start + seconds(3)));
  report.Sent(start + seconds(3));
  EXPECT_FALSE(report.Due(CpuPolicy(), scaled, {}, {}, {}, start + seconds(4)));
}

// What decides whether there is news is a hash.
TEST(StatusReport, TellsOtherCountsWhicheverTheyAre) {
  const process::SteadyTime start{};
  for (std::int32_t before = 0; before < 300; ++before) {
    for (const std::int32_t difference : {1, 2, 46, 64, 65}) {
      api::AutoscalerStatus status = CpuStatus(60);
      status.observed_generation = 3;
      status.current_replicas = status.desired_replicas = before;
      StatusReport report(CpuPolicy().spec, status);
      status.current_replicas += difference;
      EXPECT_TRUE(report.Due(CpuPolicy(), status, {}, {}, {}, start + hours(1)));
      status.desired_replicas = status.current_replicas;
      EXPECT_TRUE(report.Due(CpuPolicy(), status, {}, {}, {}, start + hours(1)));
    }
  }
}

// A metric counts as moved when its ratio to the target differs by more than the tolerance of that
// direction from the one that was last written.
TEST(StatusReport, TellsDriftBeyondTheToleranceOnceInTenMinutes) {
  constexpr engine::Tolerances kTolerances{.scale_down = 0.2, .scale_up = 0.1};
  const struct {
    std::optional<std::int32_t> utilization;  // 60 was written; it is the target too
    seconds after;
    bool due;
  } kCases[] = {
      {65, seconds(600), false}, {67, seconds(600), true}, {67, seconds(599), false},
      {49, seconds(600), false}, {47, seconds(600), true}, {std::nullopt, seconds(600), true},
  };
  for (const auto& c : kCases) {
    const process::SteadyTime start{};
    StatusReport report(CpuPolicy().spec, CpuStatus(1));
    EXPECT_TRUE(report.Due(CpuPolicy(), CpuStatus(60), {}, {}, kTolerances, start + hours(1)));
    report.Sent(start + hours(1));
    EXPECT_EQ(report
                  .Due(CpuPolicy(), CpuStatus(c.utilization), {}, {}, kTolerances,
                       start + hours(1) + c.after)
                  .has_value(),
              c.due)
        << c.utilization.value_or(-1) << " after " << c.after.count() << " s";
  }
}

// Errors may have a number in them that runs.
TEST(StatusReport, TellsAFailureInOtherWordsOnceInTenMinutes) {
  constexpr const char* kFailed = "FailedGetExternalMetric";
  const auto status = [](const char* reason, const std::string& message) {
    api::AutoscalerStatus failing = CpuStatus(45);
    failing.conditions.push_back({"ScalingActive", "False", reason, message, kNow});
    return failing;
  };
  const struct {
    seconds at;
    const char* reason;
    const char* message;
    bool due;
  } kSteps[] = {
      {seconds(0), kFailed, "it is 1 s old", true},
      {seconds(1), kFailed, "it is 2 s old", false},
      {seconds(2), kFailed, "it is 3 s old", false},
      {seconds(600), kFailed, "it is 4 s old", true},
      {seconds(601), kFailed, "it is 5 s old", false},
      {seconds(601), kFailed, "it is not there", true},
      {seconds(602), "InvalidMetricSourceType", "there is none", true},
      {seconds(603), "InvalidMetricSourceType", "there is none of that", true},
      {seconds(604), kFailed, "it is 6 s old", true},
      {seconds(605), engine::kOldView, "silent for 1 s", true},
      {seconds(606), engine::kOldView, "silent for 2 s", false},
      {seconds(607), "DryRun", "would scale from 2 to 3", true},
      {seconds(608), "DryRun", "would scale from 2 to 4", true},
      {seconds(609), "DryRun", "would keep the replicas: it is 7 s old", true},
      {seconds(610), "DryRun", "would keep the replicas: it is 8 s old", false},
  };
  StatusReport report(CpuPolicy().spec, CpuStatus(45));
  for (const auto& step : kSteps) {
    const process::SteadyTime now = process::SteadyTime() + hours(1) + step.at;
    const auto patch = report.Due(CpuPolicy(), status(step.reason, step.message), {}, {}, {}, now);
    EXPECT_EQ(patch.has_value(), step.due) << step.at.count();
    if (patch) {
      EXPECT_THAT(patch->status, HasSubstr(step.message));
      report.Sent(now);
    }
  }
}

api::AutoscalerStatus HeldStatus(const std::string& reason, const std::string& message = "-") {
  api::AutoscalerStatus status = CpuStatus(45);
  status.conditions.push_back({api::kHeld, "True", reason, message, kNow});
  return status;
}

TEST(StatusReport, TellsWhatComesAndGoesOnceAMinute) {
  const process::SteadyTime start = process::SteadyTime() + hours(1);
  const auto words = [](int second) { return std::string(static_cast<std::size_t>(second), 'x'); };
  const struct {
    const char* name;
    std::function<api::AutoscalerStatus(int)> status;  // in that second
    std::vector<int> told;                             // in which of four minutes
  } kCases[] = {
      {"one of two",
       [](int second) { return HeldStatus(second % 2 == 0 ? "A" : "B"); },
       {0, 1, 2, 3, 4, 5, 66, 127, 188}},
      {"one of two, seldom",
       [](int second) { return HeldStatus(second / 50 % 2 == 0 ? "A" : "B"); },
       {0, 50, 100, 150, 200}},
      {"other numbers",
       [](int second) { return HeldStatus("A", std::to_string(second)); },
       {0, 1, 2, 62, 122, 182}},
      {"other words",
       [&](int second) { return HeldStatus("A", words(second)); },
       {0, 1, 2, 62, 122, 182}},
      {"a failure in other words",
       [&](int second) { return HeldStatus("Failed", words(second)); },
       {0, 1, 2, 62, 122, 182}},
  };
  for (const auto& c : kCases) {
    StatusReport report(CpuPolicy().spec, CpuStatus(45));
    std::vector<int> told;
    for (int second = 0; second < 240; ++second) {
      const process::SteadyTime now = start + seconds(second);
      if (report.Due(CpuPolicy(), c.status(second), {}, {}, {}, now)) {
        report.Sent(now);
        told.push_back(second);
      }
    }
    EXPECT_EQ(told, c.told) << c.name;
  }
}

// And with whatever else is told.
TEST(StatusReport, WhatCameAndWentIsNewsAgainTenMinutesLater) {
  const struct {
    seconds at;
    const char* reason;
    std::int32_t replicas;
    bool due;
  } kSteps[] = {
      {seconds(0), "a", 3, true},   {seconds(1), "b", 3, true},    {seconds(2), "a", 3, true},
      {seconds(3), "b", 3, true},   {seconds(4), "a", 3, true},    {seconds(5), "b", 3, true},
      {seconds(6), "a", 3, false},  {seconds(6), "a", 4, true},    {seconds(7), "b", 4, false},
      {seconds(604), "a", 5, true}, {seconds(604), "b", 5, false}, {seconds(605), "b", 5, true},
  };
  StatusReport report(CpuPolicy().spec, CpuStatus(45));
  for (const auto& step : kSteps) {
    const process::SteadyTime now = process::SteadyTime() + hours(1) + step.at;
    api::AutoscalerStatus status = HeldStatus(step.reason);
    status.current_replicas = step.replicas;
    EXPECT_EQ(report.Due(CpuPolicy(), status, {}, {}, {}, now).has_value(), step.due)
        << step.at.count() << " " << step.reason;
    if (step.due) {
      report.Sent(now);
    }
  }
}

// A store's problem is one of all autoscalers.
TEST(StatusReport, TellsAProblemOfTheStoreInOtherWordsOnceInTenMinutes) {
  const process::SteadyTime start = process::SteadyTime() + hours(1);
  StatusReport report(CpuPolicy().spec, CpuStatus(45));
  const auto due = [&](const std::string& message, seconds after) {
    api::AutoscalerStatus degraded = CpuStatus(45);
    degraded.conditions.push_back({api::kHistoryDegraded, "True", "Full", message, kNow});
    return report.Due(CpuPolicy(), degraded, {}, {}, {}, start + after).has_value();
  };
  EXPECT_TRUE(due("7 bytes are missing", seconds(0)));
  report.Sent(start);
  EXPECT_FALSE(due("8 bytes are missing", seconds(599)));
  EXPECT_TRUE(due("8 bytes are missing", seconds(600)));
  EXPECT_TRUE(due("it is read-only", seconds(1)));
}

TEST(StatusReport, TellsTheMemoryAloneOnceAMinute) {
  const process::SteadyTime start{};
  StatusReport report(CpuPolicy().spec, CpuStatus(45));
  const auto due = [&](std::int32_t replicas, seconds after) {
    StatusMemory remembered{.writer = "a"};
    remembered.memory.recommendations.push_back({kNow, replicas});
    return report.Due(CpuPolicy(), CpuStatus(45), {}, remembered, {}, start + hours(1) + after)
        .has_value();
  };
  EXPECT_TRUE(due(7, seconds(0)));
  report.Sent(start + hours(1));
  EXPECT_FALSE(due(7, seconds(3'600)));
  EXPECT_FALSE(due(8, seconds(59)));
  EXPECT_TRUE(due(8, seconds(60)));
}

TEST(StatusReport, TellsAnyOtherMemory) {
  std::vector<engine::Memory> all = {{}};
  for (std::int32_t count = 0; count < 24; ++count) {
    all.push_back({.recommendations = {{kNow, count}}});
    all.push_back({.recommendations = {{kNow, count}, {kNow, 1}}});
    all.push_back({.scale_ups = {{kNow, count}}});
    all.push_back({.scale_downs = {{kNow, count}}});
    all.push_back({.scale_ups = {{kNow, 1}}, .scale_downs = {{kNow, count}}});
    all.push_back({.recommendations = {{kNow + Duration{count + 1}, 1}}});
  }
  all.push_back({.used_samples = {{"cpu", kNow}}});
  all.push_back({.used_samples = {{"cpu", kNow + Duration{1}}}});
  all.push_back({.used_samples = {{"memory", kNow}}});
  all.push_back({.no_value_since = kNow});
  all.push_back({.suspect_since = kNow});
  const process::SteadyTime start = process::SteadyTime() + hours(1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    StatusReport report(CpuPolicy().spec, CpuStatus(45));
    const auto is_due = [&](const engine::Memory& memory, seconds after) {
      return report.Due(CpuPolicy(), CpuStatus(45), {}, StatusMemory{.memory = memory}, {},
                        start + after);
    };
    if (is_due(all[i], {})) {
      report.Sent(start);
    }
    for (std::size_t j = 0; j < all.size(); ++j) {
      EXPECT_EQ(is_due(all[j], seconds(60)).has_value(), j != i) << i << " and " << j;
    }
  }
}

// Else each start would write the status of every policy.
TEST(StatusReport, ATargetOfWhichNothingIsRememberedIsNoNews) {
  StatusReport report(CpuPolicy().spec, CpuStatus(45));
  StatusMemory remembered;
  const auto is_due = [&] {
    return report.Due(CpuPolicy(), CpuStatus(45), {}, remembered, {}, process::SteadyTime(hours(1)))
        .has_value();
  };
  remembered.memory.target = "d1";
  EXPECT_FALSE(is_due());
  remembered.memory.scale_ups.push_back({kNow, 2});
  EXPECT_TRUE(is_due());
}

// A managed HPA's memory lies elsewhere, and may not have been written with the status.
TEST(StatusReport, OffersAMemoryAgainThatWasNotWritten) {
  const process::SteadyTime start = process::SteadyTime() + hours(1);
  api::Autoscaler hpa = CpuPolicy();
  hpa.kind = api::kHpaKind;
  StatusReport report(hpa.spec, CpuStatus(45));
  StatusMemory remembered{.writer = "a"};
  remembered.memory.recommendations.push_back({kNow, 7});
  const auto due = [&](seconds after) {
    const auto patch = report.Due(hpa, CpuStatus(45), {}, remembered, {}, start + after);
    return patch && patch->memory;
  };
  EXPECT_TRUE(due(seconds(0)));
  report.Sent(start, false);
  EXPECT_FALSE(due(seconds(59)));
  EXPECT_TRUE(due(seconds(60)));
  report.Sent(start + seconds(60), true);
  EXPECT_FALSE(due(seconds(3'600)));
}

// Another leader has to learn that its own store is incomplete.
TEST(StatusReport, TellsAtOnceWhoRemembers) {
  const process::SteadyTime start{};
  StatusReport report(CpuPolicy().spec, CpuStatus(45));
  const auto due = [&](const char* writer) {
    return report.Due(CpuPolicy(), CpuStatus(45), {}, StatusMemory{.writer = writer}, {},
                      start + seconds(1));
  };
  EXPECT_FALSE(due("a")) << "nobody knows whose is there";
  report.StoredWriter("b");
  EXPECT_FALSE(due("b"));
  ASSERT_TRUE(due("a"));
  EXPECT_THAT(due("a")->status, HasSubstr(R"("memory":{"writer":"a","term":0)"));
  report.Sent(start + seconds(1));
  EXPECT_FALSE(due("a"));
}

// The status of an HPA is as Kubernetes' own controller writes it, with the claim; its memory goes
// elsewhere.
TEST(StatusReport, WritesAnHpasStatusAsItsOwnController) {
  api::Autoscaler hpa = CpuPolicy();
  hpa.kind = api::kHpaKind;
  hpa.metadata.uid = "u1";
  StatusReport report(hpa.spec, {});
  const auto patch = report.Due(hpa, CpuStatus(45), LastDecision{7, kNow, {}},
                                StatusMemory{.writer = "a"}, {}, process::SteadyTime());
  ASSERT_TRUE(patch);
  EXPECT_THAT(patch->status,
              HasSubstr(R"({"status":{"observedGeneration":0,"currentReplicas":3,)"));
  for (const char* own : {"targets", "lastDecision", "memory"}) {
    EXPECT_THAT(patch->status, Not(HasSubstr(own)));
  }
  EXPECT_THAT(patch->memory.value_or(""), HasSubstr(R"({"uid":"u1","writer":"a",)"));
}

TEST(StatusReport, PrintsTargetsOfEveryForm) {
  api::AutoscalerSpec spec = CpuPolicy().spec;
  api::MetricSpec queue{.type = "External"};
  queue.external = {.metric = {.name = "queue"},
                    .target = {.type = "AverageValue", .average_value = Quantity::FromValue(30)}};
  spec.metrics.push_back(queue);
  api::AutoscalerStatus status = CpuStatus(45);
  EXPECT_EQ(PrintTargets(spec, status), "cpu: 45%/60%, queue: <unknown>/30 (avg)");
  status.current_metrics.push_back(
      {.type = "External", .current = {.average_value = Quantity::FromMilli(12500)}});
  EXPECT_EQ(PrintTargets(spec, status), "cpu: 45%/60%, queue: 12500m/30 (avg)");
  spec.metrics.front() = {.type = "Prometheus"};
  spec.metrics.front().prometheus = {"main", "sum(up)", {"Value", Quantity::FromValue(5), {}, {}}};
  status.current_metrics.front() = {
      .type = "Prometheus", .source = "main", .current = {.value = Quantity::FromValue(7)}};
  EXPECT_EQ(PrintTargets(spec, status), "main: 7/5, queue: 12500m/30 (avg)");
}

}  // namespace
}  // namespace ballast::session
