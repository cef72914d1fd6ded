#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "operator/cli/cluster/metrics/ask_metrics.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"

namespace ballast::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kScale = "/apis/apps/v1/namespaces/shop/deployments/web/scale";
constexpr const char* kPods = "/api/v1/namespaces/shop/pods";
constexpr const char* kPodMetrics = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods";
constexpr const char* kQueue = "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue";

std::string List(const std::string& items) { return R"({"metadata":{},"items":[)" + items + "]}"; }

std::string Scale(int replicas, const std::string& selector = "app=web") {
  return R"({"metadata":{"name":"web","namespace":"shop","uid":"d1"},"spec":{"replicas":)" +
         std::to_string(replicas) + R"(},"status":{"replicas":)" + std::to_string(replicas) +
         R"(,"selector":")" + selector + R"("}})";
}

class AskedMetricsTest : public ::testing::Test {
 protected:
  AskedMetricsTest() {
    policy_.api_version = api::kPolicyApiVersion;
    policy_.kind = api::kPolicyKind;
    policy_.metadata.namespace_ = "shop";
    policy_.metadata.name = "web";
    policy_.spec.scale_target_ref = {"apps/v1", "Deployment", "web"};
    policy_.spec.max_replicas = 10;
    api::MetricSpec cpu{.type = "Resource"};
    cpu.resource = {"cpu", {.type = "Utilization", .average_utilization = 50}};
    api::MetricSpec queue{.type = "External"};
    queue.external.emplace();
    queue.external->metric.name = "queue";
    queue.external->target = {.type = "AverageValue", .average_value = *ParseQuantity("10")};
    policy_.spec.metrics = {cpu, queue};
    Answer(kScale, Scale(1));
    Answer(kPods,
           List(R"({"metadata":{"name":"web-0","namespace":"shop","uid":"p0","labels":)"
                R"({"app":"web"}},"spec":{"containers":[{"name":"app","resources":{"requests":)"
                R"({"cpu":"100m"}}}]},"status":{"phase":"Running","startTime":)"
                R"("2020-01-01T00:00:00Z","conditions":[{"type":"Ready","status":"True",)"
                R"("lastTransitionTime":"2020-01-01T00:00:10Z"}]}})"));
    Answer(kPodMetrics, List(R"({"metadata":{"name":"web-0","namespace":"shop"},"timestamp":")" +
                             Print(clock_.Now() - Duration::Seconds(12)) +
                             R"(","window":"10s","containers":[{"name":"app","usage":)"
                             R"({"cpu":"100m"}}]})"));
    Answer(kQueue, List(R"({"metricName":"queue","value":"35"})"));
  }

  void Answer(const std::string& path, const std::string& body) {
    answers_.insert_or_assign(path, kube::Response{200, body});
  }
  Result<AskedMetrics> Ask(const std::vector<sources::PrometheusSource>& sources = {}) {
    return AskMetrics(transport_, clock_, policy_, sources);
  }

  api::Autoscaler policy_;
  support::FakeClock clock_;
  std::map<std::string, Result<kube::Response>> answers_;
  support::FakeTransport transport_{[this](const kube::Request& request) {
    if (const auto discovered = support::DiscoverApps(request.path)) {
      return Result<kube::Response>(*discovered);
    }
    const auto found = answers_.find(request.path);
    return found == answers_.end()
               ? Result<kube::Response>(Error{Code::kNotFound, "the server has no such metric"})
               : found->second;
  }};
};

TEST_F(AskedMetricsTest, SaysWhatEachAsksForAndHowToAskIt) {
  const auto asked = Ask();
  ASSERT_TRUE(asked.ok()) << asked.error().message;
  EXPECT_EQ(asked->replicas, 1);
  EXPECT_EQ(asked->pods, 1u);
  ASSERT_EQ(asked->metrics.size(), 2u);
  const AskedMetric& cpu = asked->metrics[0];
  EXPECT_EQ(cpu.name, "metric 0 (Resource)");
  EXPECT_THAT(cpu.text, HasSubstr("is at 100% of the requests, 100m a pod, the target is 50%"));
  EXPECT_EQ(cpu.proposal, 2);
  EXPECT_EQ(cpu.age, Duration::Seconds(12));
  EXPECT_THAT(cpu.requests,
              ElementsAre(std::string(kPodMetrics) + "?limit=500&labelSelector=app%3Dweb"));
  const AskedMetric& queue = asked->metrics[1];
  EXPECT_EQ(queue.proposal, 4);
  EXPECT_EQ(queue.age, std::nullopt) << "the answer has no time";
  EXPECT_THAT(queue.requests, ElementsAre(kQueue));
}

// The sum of several series is as old as the oldest.
TEST_F(AskedMetricsTest, TellsTheOldestSampleToo) {
  const auto series = [&](std::int64_t age) {
    return R"({"metricName":"queue","value":"5","timestamp":")" +
           Print(clock_.Now() - Duration::Seconds(age)) + R"("})";
  };
  Answer(kQueue, List(series(70) + "," + series(8)));
  const auto asked = Ask();
  ASSERT_TRUE(asked.ok()) << asked.error().message;
  EXPECT_EQ(asked->metrics[0].oldest_age, std::nullopt);
  EXPECT_EQ(asked->metrics[1].age, Duration::Seconds(8));
  EXPECT_EQ(asked->metrics[1].oldest_age, Duration::Seconds(70));
}

TEST_F(AskedMetricsTest, SaysWhyOneIsUnusable) {
  answers_.erase(kQueue);
  const auto asked = Ask();
  ASSERT_TRUE(asked.ok()) << asked.error().message;
  EXPECT_EQ(asked->metrics[0].proposal, 2);
  EXPECT_EQ(asked->metrics[1].proposal, std::nullopt);
  EXPECT_THAT(asked->metrics[1].text, HasSubstr("the server has no such metric"));
  EXPECT_THAT(asked->metrics[1].requests, ElementsAre(kQueue));
}

TEST_F(AskedMetricsTest, LeavesSourcesToTheOperator) {
  policy_.spec.metrics[1] = {.type = "Prometheus"};
  policy_.spec.metrics[1].prometheus = {
      "main",
      R"(sum(queue{app="$target"}))",
      {.type = "AverageValue", .average_value = *ParseQuantity("10")}};
  const auto asked = Ask();
  ASSERT_TRUE(asked.ok()) << asked.error().message;
  EXPECT_EQ(asked->metrics[0].proposal, 2);
  EXPECT_EQ(asked->metrics[1].proposal, std::nullopt);
  EXPECT_THAT(asked->metrics[1].text, HasSubstr("only the operator can ask a source"));
  EXPECT_THAT(asked->metrics[1].requests, IsEmpty());
  EXPECT_EQ(asked->metrics[1].source, "main");
  EXPECT_EQ(asked->metrics[1].query, R"(sum(queue{app="web"}))");
  EXPECT_EQ(asked->metrics[1].url, "") << "nothing is known of the source";

  sources::PrometheusSource main{.name = "main", .namespaces = {{"shop"}}};
  main.connection.server = "https://prometheus:9090/prefix";
  main.connection.proxy_url = "http://proxy:3128";
  main.parameters = {{"namespace", "$namespace"}};
  EXPECT_EQ(Ask({main})->metrics[1].proxy, "http://proxy:3128");
  EXPECT_EQ(Ask({main})->metrics[1].url,
            "https://prometheus:9090/prefix/api/v1/query?namespace=shop&timeout=4500ms&"
            "query=sum%28queue%7Bapp%3D%22web%22%7D%29");
  main.namespaces = {{"bank"}};
  EXPECT_EQ(Ask({main})->metrics[1].url, "") << "it is not for this namespace";
}

TEST_F(AskedMetricsTest, AsksInWhateverStateTheAutoscalerIs) {
  policy_.spec.mode = "Disabled";
  policy_.spec.min_replicas = 3;
  EXPECT_EQ(Ask()->metrics[1].proposal, 4) << "disabled, and below its minimum";
  Answer(kScale, Scale(0));
  Answer(kPods, List(""));
  const auto asked = Ask();
  ASSERT_TRUE(asked.ok()) << asked.error().message;
  EXPECT_EQ(asked->metrics[1].proposal, 4) << "at zero";
  EXPECT_THAT(asked->metrics[0].requests, IsEmpty()) << "not asked for without pods";
}

TEST_F(AskedMetricsTest, RefusesATargetWithoutPodsToAskFor) {
  Answer(kScale, Scale(1, ""));
  EXPECT_THAT(Ask().error().message, HasSubstr("selector"));
  answers_.erase(kScale);
  EXPECT_EQ(Ask().error().code, Code::kNotFound);
}

}  // namespace
}  // namespace ballast::cli
