#include "operator/controllers/status_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace ballast::controllers {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Time kNow(1'700'000'000, 0);

api::AutoscalerSpec CpuSpec() {
  api::AutoscalerSpec spec;
  api::MetricSpec metric{.type = "Resource"};
  metric.resource = {.name = "cpu", .target = {.type = "Utilization", .average_utilization = 60}};
  spec.metrics.push_back(metric);
  return spec;
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
  EXPECT_FALSE(report.Due(CpuSpec(), CpuStatus(45), {}, {}, start + seconds(1)));

  api::AutoscalerStatus scaled = CpuStatus(90);
  scaled.desired_replicas = 5;
  const auto patch = report.Due(CpuSpec(), scaled, LastDecision{7, kNow, engine::Rule::kLimits}, {},
                                start + seconds(2));
  ASSERT_TRUE(patch);
  EXPECT_THAT(*patch, HasSubstr(R"("desiredReplicas":5)"));
  EXPECT_THAT(*patch, HasSubstr(R"("targets":"cpu: 90%/60%")"));
  EXPECT_THAT(*patch,
              AllOf(HasSubstr(R"("lastDecision":{"id":"7",)"), HasSubstr(R"("limit":"limits")")));
  // Without Sent() it is offered again.
  ASSERT_TRUE(report.Due(CpuSpec(), scaled, {}, {}, start + seconds(3)));
  report.Sent(start + seconds(3));

  api::AutoscalerStatus drifted = scaled;
  drifted.current_metrics[0].current.average_utilization = 91;
  EXPECT_FALSE(report.Due(CpuSpec(), drifted, {}, {}, start + seconds(62)));
  EXPECT_TRUE(report.Due(CpuSpec(), drifted, {}, {}, start + seconds(63)));
}

// Another leader has to learn that its own store is incomplete.
TEST(StatusReport, TellsAtOnceWhoRemembers) {
  const runtime::SteadyTime start{};
  StatusReport report(CpuStatus(45));
  const auto due = [&](const char* writer) {
    return report.Due(CpuSpec(), CpuStatus(45), {}, StatusMemory{.writer = writer},
                      start + seconds(1));
  };
  EXPECT_FALSE(due("a")) << "nobody knows whose is there";
  report.StoredWriter("b");
  EXPECT_FALSE(due("b"));
  ASSERT_TRUE(due("a"));
  EXPECT_THAT(*due("a"), HasSubstr(R"("memory":{"writer":"a","term":0)"));
  report.Sent(start + seconds(1));
  EXPECT_FALSE(due("a"));
}

TEST(StatusReport, PrintsTargetsOfEveryForm) {
  api::AutoscalerSpec spec = CpuSpec();
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
