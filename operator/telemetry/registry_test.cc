#include "operator/telemetry/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

namespace ballast::telemetry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Registry, PrintsEveryKind) {
  Registry registry;
  const auto requests = registry.Counters("requests_total", "Requests.", {"code", "method"});
  requests.With({"200", "GET"}).Add();
  requests.With({"500", "GET"}).Add();
  requests.With({"200", "GET"}).Add(2);
  const auto depth = registry.Gauges("depth", "How many wait.").With({});
  depth.Set(5);
  depth.Add(-1.5);
  const auto seconds = registry.Histograms("seconds", "How long.", {0.1, 1}).With({});
  for (const double value : {0.05, 0.1, 0.5, 7.0}) {
    seconds.Observe(value);
  }
  EXPECT_EQ(registry.Print(), R"(# HELP depth How many wait.
# TYPE depth gauge
depth 3.5
# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{code="200",method="GET"} 3
requests_total{code="500",method="GET"} 1
# HELP seconds How long.
# TYPE seconds histogram
seconds_bucket{le="0.1"} 2
seconds_bucket{le="1"} 3
seconds_bucket{le="+Inf"} 4
seconds_sum 7.65
seconds_count 4
)");
}

TEST(Registry, PrintsOpenMetrics) {
  Registry registry;
  registry.Counters("requests_total", "\"Requests\".").With({}).Add();
  registry.Gauges("depth", "d").With({}).Set(2);
  registry.Histograms("seconds", "s", {0.5, 10}).With({}).Observe(3);
  EXPECT_EQ(registry.Print(TextFormat::kOpenMetrics), R"(# HELP depth d
# TYPE depth gauge
depth 2
# HELP requests \"Requests\".
# TYPE requests counter
requests_total 1
# HELP seconds s
# TYPE seconds histogram
seconds_bucket{le="0.5"} 0
seconds_bucket{le="10.0"} 1
seconds_bucket{le="+Inf"} 1
seconds_sum 3
seconds_count 1
# EOF
)");
}

TEST(Registry, EscapesWhatOthersWrote) {
  Registry registry;
  registry.Gauges("a", "line\nand \\ and \"", {"label"}).With({"x\"y\\z\n"}).Set(1);
  EXPECT_EQ(registry.Print(),
            "# HELP a line\\nand \\\\ and \"\n# TYPE a gauge\na{label=\"x\\\"y\\\\z\\n\"} 1\n");
}

TEST(Registry, PrintsNumbersAsPrometheusReadsThem) {
  Registry registry;
  const auto gauge = registry.Gauges("a", "b").With({});
  for (const auto& [value, text] : {std::pair(std::numeric_limits<double>::infinity(), "a +Inf\n"),
                                    {-std::numeric_limits<double>::infinity(), "a -Inf\n"},
                                    {std::nan(""), "a NaN\n"},
                                    {1e-9, "a 1e-09\n"},
                                    {1732186148.25, "a 1732186148.25\n"}}) {
    gauge.Set(value);
    EXPECT_THAT(registry.Print(), HasSubstr(text));
  }
}

TEST(Registry, GivesAFamilyTwice) {
  Registry registry;
  registry.Counters("a_total", "b", {"queue"}).With({"x"}).Add();
  registry.Counters("a_total", "b", {"queue"}).With({"y"}).Add();
  EXPECT_THAT(registry.Print(), HasSubstr("a_total{queue=\"x\"} 1\na_total{queue=\"y\"} 1\n"));
}

TEST(Registry, LooksUpBeforeItPrints) {
  Registry registry;
  int depth = 7;
  registry.BeforePrint([&] { registry.Gauges("depth", "d").With({}).Set(depth); });
  EXPECT_THAT(registry.Print(), HasSubstr("depth 7\n"));
  depth = 8;
  EXPECT_THAT(registry.Print(), HasSubstr("depth 8\n"));
}

TEST(Registry, ForgetsWhatIsNotAmongTheValuesSet) {
  Registry registry;
  const auto replicas = registry.Gauges("replicas", "r", {"name"});
  replicas.Reset({{{"a"}, 1}, {{"b"}, 2}});
  EXPECT_THAT(registry.Print(), HasSubstr("replicas{name=\"a\"} 1\nreplicas{name=\"b\"} 2\n"));
  replicas.Reset({{{"b"}, 3}});
  EXPECT_THAT(registry.Print(), HasSubstr("gauge\nreplicas{name=\"b\"} 3\n"));
  replicas.Reset({});
  EXPECT_EQ(registry.Print(), "");
  Family<Gauge>().Reset({{{"any"}, 1}});
}

TEST(Registry, LeavesOutWhatHasNoValueYet) {
  Registry registry;
  registry.Counters("a_total", "b", {"code"});
  EXPECT_EQ(registry.Print(), "");
}

TEST(Handle, WithoutARegistryDoesNothing) {
  Counter().Add();
  Gauge().Set(1);
  Histogram().Observe(1);
  Family<Counter>().With({"any", "labels"}).Add();
}

TEST(Registry, CountsFromManyThreads) {
  Registry registry;
  const auto counters = registry.Counters("a_total", "b", {"label"});
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 1000; ++n) {
          counters.With({"x"}).Add();
          static_cast<void>(registry.Print());
        }
      });
    }
  }
  EXPECT_THAT(registry.Print(), HasSubstr("a_total{label=\"x\"} 4000\n"));
}

TEST(ExponentialBounds, Multiply) {
  EXPECT_THAT(ExponentialBounds(1, 10, 3), ElementsAre(1, 10, 100));
}

}  // namespace
}  // namespace ballast::telemetry
