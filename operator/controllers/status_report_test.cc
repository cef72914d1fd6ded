#include "operator/controllers/status_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace ballast::controllers {
namespace {

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

api::AutoscalerStatus CpuStatus(std::int32_t utilization) {
  api::AutoscalerStatus status{.current_replicas = 3, .desired_replicas = 3};
  status.current_metrics.push_back(
      {.type = "Resource", .resource = "cpu", .current = {.average_utilization = utilization}});
  status.conditions.push_back({"Ready", "True", "Evaluated", "all is well", kNow});
  return status;
}

TEST(StatusReport, TellsNewsAtOnceAndDriftOnceAMinute) {
  const runtime::SteadyTime start{};
  StatusReport report(CpuStatus(45));
  EXPECT_FALSE(report.Due(CpuPolicy(), CpuStatus(45), {}, {}, start + seconds(1)));

  api::AutoscalerStatus scaled = CpuStatus(90);
  scaled.desired_replicas = 5;
  const auto patch = report.Due(CpuPolicy(), scaled, LastDecision{7, kNow, engine::Rule::kLimits},
                                {}, start + seconds(2));
  ASSERT_TRUE(patch);
  EXPECT_THAT(patch->status, HasSubstr(R"("desiredReplicas":5)"));
  EXPECT_THAT(patch->status, HasSubstr(R"("targets":"cpu: 90%/60%")"));
  EXPECT_THAT(patch->status,
              AllOf(HasSubstr(R"("lastDecision":{"id":"7",)"), HasSubstr(R"("limit":"limits")")));
  // Without Sent() it is offered again.
  ASSERT_TRUE(report.Due(CpuPolicy(), scaled, {}, {}, start + seconds(3)));
  report.Sent(start + seconds(3));

  api::AutoscalerStatus drifted = scaled;
  drifted.current_metrics[0].current.average_utilization = 91;
  EXPECT_FALSE(report.Due(CpuPolicy(), drifted, {}, {}, start + seconds(62)));
  EXPECT_TRUE(report.Due(CpuPolicy(), drifted, {}, {}, start + seconds(63)));
}

// Another leader has to learn that its own store is incomplete.
TEST(StatusReport, TellsAtOnceWhoRemembers) {
  const runtime::SteadyTime start{};
  StatusReport report(CpuStatus(45));
  const auto due = [&](const char* writer) {
    return report.Due(CpuPolicy(), CpuStatus(45), {}, StatusMemory{.writer = writer},
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
  StatusReport report({});
  const auto patch = report.Due(hpa, CpuStatus(45), LastDecision{7, kNow, {}},
                                StatusMemory{.writer = "a"}, runtime::SteadyTime());
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
}

}  // namespace
}  // namespace ballast::controllers
