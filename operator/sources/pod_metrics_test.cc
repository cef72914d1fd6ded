#include "operator/sources/pod_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "operator/telemetry/registry.h"
#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"

namespace ballast::sources {
namespace {

using namespace std::chrono_literals;

std::string ItemOf(const std::string& namespace_, const std::string& pod, Time sampled) {
  return R"({"metadata":{"name":")" + pod + R"(","namespace":")" + namespace_ +
         R"("},"timestamp":")" + Print(sampled) + R"(","window":"30s","containers":[]})";
}

std::string Item(const std::string& namespace_, const std::string& pod) {
  return ItemOf(namespace_, pod, Time::FromUnixNanoseconds(1'767'225'600'000'000'000));
}

kube::Response Metrics(const std::string& items) {
  return {200, R"({"metadata":{},"items":[)" + items + "]}"};
}

const std::string kSelector = "app=web";

class PodMetricsTest : public testing::Test {
 protected:
  Result<kube::Response> Do(const kube::Request& request) {
    ++requests_;
    return answer_(request);
  }
  Result<PodMetricsReader::FoundMetrics> Read(PodMetricsReader& reader,
                                              const std::string& namespace_,
                                              const std::string& selector = kSelector,
                                              std::size_t pods = 5) {
    return Read(reader, {namespace_, selector, pods, 15s, 1s});
  }
  static Result<PodMetricsReader::FoundMetrics> Read(PodMetricsReader& reader,
                                                     const PodMetricsQuery& query) {
    support::Channel<Result<PodMetricsReader::FoundMetrics>> told;
    reader.Start(query, [&](const auto& found) { told.Push(found); });
    return *told.Pop();
  }
  Result<PodMetricsReader::FoundMetrics> Read(const std::string& namespace_) {
    return Read(reader_, namespace_);
  }

  std::atomic<int> requests_ = 0;
  std::function<Result<kube::Response>(const kube::Request&)> answer_ = [](const auto&) {
    return Metrics(Item("shop", "web-0"));
  };
  support::FakeClock clock_;
  support::FakeTransport transport_{[this](const kube::Request& request) { return Do(request); }};
  kube::Client client_{transport_};
  PodMetricsReader reader_{client_, clock_, {.always = PodMetricsList::kNamespace}};
};

TEST_F(PodMetricsTest, AnAnswerIsSharedForASecond) {
  const auto first = Read("shop");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->metrics->by_name().at("web-0")->name, "web-0");
  clock_.Advance(1s - 1ns);
  EXPECT_EQ(Read("shop")->metrics, first->metrics);
  EXPECT_EQ(requests_, 1);
  clock_.Advance(1ns);
  EXPECT_TRUE(Read("shop").ok());
  EXPECT_EQ(requests_, 2);
}

TEST_F(PodMetricsTest, AnApiThatHangsIsWaitedForOnce) {
  answer_ = [this](const auto&) -> Result<kube::Response> {
    clock_.Advance(30s);
    return Error{Code::kTimeout, "no answer"};
  };
  const process::SteadyTime began = clock_.Steady();
  for (int policy = 0; policy < 20; ++policy) {
    EXPECT_EQ(Read("shop").error().code, Code::kTimeout);
  }
  EXPECT_EQ(clock_.Steady() - began, 30s);
  clock_.Advance(1s);
  answer_ = [](const auto&) { return Metrics(Item("shop", "web-0")); };
  EXPECT_TRUE(Read("shop").ok()) << "a failure is not kept for longer than an answer";
}

// Later callers wait for the request that is under way; those of other namespaces do not.
TEST_F(PodMetricsTest, ARequestUnderWayIsShared) {
  support::Channel<std::string> asked;
  support::Channel<bool> go_on;
  answer_ = [&](const kube::Request& request) -> Result<kube::Response> {
    if (request.path.find("/shop/") != std::string::npos) {
      asked.Push(request.path);
      go_on.Pop();
    }
    return Metrics("");
  };
  std::vector<std::jthread> policies;
  for (int i = 0; i < 5; ++i) {
    policies.emplace_back([&] { EXPECT_TRUE(Read("shop").ok()); });
  }
  EXPECT_TRUE(asked.Pop());
  EXPECT_TRUE(Read("other").ok());
  go_on.Push(true);
  policies.clear();
  EXPECT_EQ(requests_, 2);
}

// Its pages are kept together.
TEST_F(PodMetricsTest, AListIsBoundedWithAllItsPages) {
  const std::string page = R"({"metadata":{"continue":"again"},"items":[]})";
  answer_ = [&](const auto&) -> Result<kube::Response> {
    clock_.Advance(3s);
    return kube::Response{200, page};
  };
  const auto endless = Read("shop");
  ASSERT_FALSE(endless.ok());
  EXPECT_EQ(endless.error().code, Code::kTimeout);
  EXPECT_EQ(requests_, 4);

  clock_.Advance(1s);
  answer_ = [&](const auto&) -> Result<kube::Response> {
    return kube::Response{200, page + std::string(5 << 20, ' ')};
  };
  const auto large = Read("shop");
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().code, Code::kCorrupt);
  EXPECT_EQ(large.error().message,
            "the answer is larger than 16777216 bytes; lists of fewer pods are smaller: "
            "--pod-metrics-list=selector");
  EXPECT_EQ(requests_, 4 + 4);
}

TEST_F(PodMetricsTest, NothingIsKeptOfNamespacesThatNobodyAsksFor) {
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(Read("preview-" + std::to_string(i)).ok());
    clock_.Advance(100ms);
  }
  EXPECT_LE(reader_.size(), 21U) << "of two seconds";
}

class PodMetricsListTest : public PodMetricsTest {
 protected:
  // Asks for `targets` of 5 pods in each of so many namespaces, as a slot does, and says which
  // lists were requested.
  std::map<std::string, int> Slot(PodMetricsReader& reader, int namespaces, int targets) {
    std::map<std::string, int> lists;
    answer_ = [&](const kube::Request& request) -> Result<kube::Response> {
      const bool cluster = request.path == "/apis/metrics.k8s.io/v1beta1/pods";
      const bool selector = support::QueryOf(request, "labelSelector") != "-";
      ++lists[cluster ? "cluster" : selector ? "selector" : "namespace"];
      if (cluster && cluster_fails_) {
        return Error{*cluster_fails_, "not so many"};
      }
      if (!cluster && !selector && namespace_fails_ &&
          request.path.find("/shop-0/") != std::string::npos) {
        return Error{*namespace_fails_, "not so many"};
      }
      return Metrics(Item("shop-0", "web-0") + "," + Item("shop-1", "web-1"));
    };
    for (int i = 0; i < namespaces; ++i) {
      for (int target = 0; target < targets; ++target) {
        const auto found =
            Read(reader, "shop-" + std::to_string(i), "app=web-" + std::to_string(target));
        EXPECT_TRUE(found.ok());
        if (found.ok() && lists == std::map<std::string, int>{{"cluster", 1}} && i < 2) {
          EXPECT_EQ(found->metrics->by_name().size(), 1U) << "those of the namespace only";
          EXPECT_TRUE(found->metrics->by_name().contains("web-" + std::to_string(i)));
        }
      }
    }
    clock_.Advance(15s);
    return lists;
  }
  // In the second round it is known what is asked for.
  std::map<std::string, int> SecondSlot(PodMetricsReader& reader, int namespaces, int targets) {
    (void)Slot(reader, namespaces, targets);
    return Slot(reader, namespaces, targets);
  }
  void CountPods(PodMetricsReader& reader, std::size_t here, std::size_t everywhere) {
    reader.CountPods(
        [=](const std::string& namespace_) { return namespace_.empty() ? everywhere : here; });
  }

  std::optional<Code> cluster_fails_;    // the list of the cluster
  std::optional<Code> namespace_fails_;  // that of shop-0
};

TEST_F(PodMetricsListTest, TheCheapestListServes) {
  using Lists = std::map<std::string, int>;
  const struct {
    const char* name;
    int namespaces;
    int targets;
    std::size_t present;     // in each namespace
    std::size_t everywhere;  // in the cluster
    PodMetricsOptions options;
    Lists lists;
  } kCases[] = {
      {"one target among few pods", 1, 1, 5, 9'999, {}, {{"namespace", 1}}},
      {"one target among many", 1, 1, 500, 9'999, {}, {{"selector", 1}}},
      {"a fair share of the namespace", 1, 20, 1'900, 9'999, {}, {{"namespace", 1}}},
      {"a few among thousands", 1, 5, 5'000, 9'999, {}, {{"selector", 5}}},
      {"most pods of the cluster", 100, 1, 5, 500, {}, {{"cluster", 1}}},
      {"few pods of the cluster", 100, 1, 5, 50'000, {}, {{"namespace", 100}}},
      {"not the cluster's", 100, 1, 5, 500, {.cluster = false}, {{"namespace", 100}}},
      {"forced: selector", 2, 3, 5, 9, {.always = PodMetricsList::kSelector}, {{"selector", 6}}},
      {"forced: namespace",
       2,
       3,
       5'000,
       9,
       {.always = PodMetricsList::kNamespace},
       {{"namespace", 2}}},
      {"forced: cluster", 2, 3, 5, 50'000, {.always = PodMetricsList::kCluster}, {{"cluster", 1}}},
  };
  for (const auto& c : kCases) {
    PodMetricsReader reader(client_, clock_, c.options);
    CountPods(reader, c.present, c.everywhere);
    EXPECT_EQ(SecondSlot(reader, c.namespaces, c.targets), c.lists) << c.name;
    EXPECT_EQ(reader.ListsCluster(), c.lists.contains("cluster")) << c.name;
  }
}

// It is forbidden, too large, does not come in time, or is too much for the server.
TEST_F(PodMetricsListTest, AListOfTheClusterThatFailsIsLeftForTenMinutes) {
  for (const Code code :
       {Code::kForbidden, Code::kCorrupt, Code::kTimeout, Code::kInvalid, Code::kUnavailable}) {
    cluster_fails_ = code;
    PodMetricsReader reader(client_, clock_);
    CountPods(reader, 5, 500);
    const std::map<std::string, int> kRefused = {{"cluster", 1}, {"namespace", 100}};
    const std::map<std::string, int> kNotTried = {{"namespace", 100}};
    EXPECT_EQ(Slot(reader, 100, 1), kNotTried) << "not known yet what is asked for";
    EXPECT_EQ(Slot(reader, 100, 1), kRefused) << Name(code);
    for (int i = 1; i < 40; ++i) {  // a quarter of a minute each
      EXPECT_EQ(Slot(reader, 100, 1), kNotTried) << i;
    }
    EXPECT_FALSE(reader.ListsCluster());
    EXPECT_EQ(Slot(reader, 100, 1), kRefused);
  }
}

TEST_F(PodMetricsListTest, AListOfANamespaceThatFailsIsLeftForTenMinutes) {
  for (const Code code : {Code::kCorrupt, Code::kTimeout, Code::kInvalid, Code::kUnavailable}) {
    namespace_fails_ = code;
    PodMetricsReader reader(client_, clock_);
    CountPods(reader, 5, 50'000);
    // Of two namespaces, with three targets each.
    const std::map<std::string, int> kFails = {{"namespace", 2}, {"selector", 3}};
    const std::map<std::string, int> kLeft = {{"namespace", 1}, {"selector", 3}};
    EXPECT_EQ(Slot(reader, 2, 3), kFails) << Name(code);
    for (int i = 1; i < 40; ++i) {
      EXPECT_EQ(Slot(reader, 2, 3), kLeft) << i;
    }
    EXPECT_EQ(Slot(reader, 2, 3), kFails);
  }
}

// An API that is down makes no request narrower for longer than it is down.
TEST_F(PodMetricsListTest, NoListIsLeftBecauseTheApiIsDown) {
  PodMetricsReader reader(client_, clock_);
  CountPods(reader, 5, 500);
  const std::map<std::string, int> kCluster = {{"cluster", 1}};
  EXPECT_EQ(SecondSlot(reader, 100, 1), kCluster);
  answer_ = [](const kube::Request&) -> Result<kube::Response> {
    return Error{Code::kUnavailable, "the API is down"};
  };
  const int before = requests_;
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(Read(reader, "shop-" + std::to_string(i), "app=web-0").ok());
  }
  EXPECT_EQ(requests_ - before, 3) << "of the cluster, of a namespace, of a selector";
  clock_.Advance(15s);
  EXPECT_EQ(Slot(reader, 100, 1), kCluster);
}

TEST_F(PodMetricsListTest, WhoeverWaitsForAListThatFailsIsToldOfTheNarrowerOne) {
  PodMetricsReader reader(client_, clock_);
  CountPods(reader, 5, 50'000);
  std::vector<std::string> selectors;
  answer_ = [&](const kube::Request& request) -> Result<kube::Response> {
    selectors.push_back(support::QueryOf(request, "labelSelector"));
    return selectors.size() == 1 ? Result<kube::Response>(Error{Code::kCorrupt, "too large"})
                                 : Metrics(Item("shop-0", "web-0"));
  };
  support::Channel<bool> done;
  reader.Start({"shop-0", "app=web-0", 5, 15s, 1s},
               [&](const auto& found) { done.Push(found.ok() && !found->whole); });
  EXPECT_EQ(done.Pop(), true);
  EXPECT_EQ(selectors, (std::vector<std::string>{"-", "app=web-0"}));
  EXPECT_TRUE(done.empty());
}

// The APIs are told of like the sources of --metric-sources.
TEST_F(PodMetricsListTest, TellsWhetherTheApiIsUp) {
  telemetry::Registry registry;
  PodMetricsReader reader(client_, clock_, {.always = PodMetricsList::kNamespace},
                          SourceMetrics(registry));
  EXPECT_TRUE(Read(reader, "shop").ok());
  const std::string up = "ballast_metric_source_up{source=\"metrics.k8s.io\"} ";
  EXPECT_NE(registry.Print().find(up + "1"), std::string::npos) << registry.Print();
  answer_ = [](const auto&) { return Error{Code::kUnavailable, "HTTP 503"}; };
  EXPECT_FALSE(Read(reader, "other").ok());
  EXPECT_NE(registry.Print().find(up + "0"), std::string::npos);
  EXPECT_NE(registry.Print().find("ballast_metric_source_queries_total{source=\"metrics.k8s.io\","
                                  "result=\"Unavailable\"} 1"),
            std::string::npos);
}

TEST_F(PodMetricsTest, AnAnswerFromBeforeNewSamplesServesNoneBehindThem) {
  telemetry::Registry registry;
  PodMetricsReader reader(client_, clock_, {.always = PodMetricsList::kNamespace},
                          SourceMetrics(registry));
  answer_ = [this](const auto&) {
    const std::int64_t now = clock_.Now().unix_nanoseconds();
    return Metrics(
        ItemOf("shop", "web-0", Time::FromUnixNanoseconds(now - now % (15'000'000'000))));
  };
  const auto rhythm = [&] {
    const std::string name = "ballast_sample_rhythm_seconds{source=\"metrics.k8s.io\"} ";
    const std::string page = registry.Print();
    const auto found = page.find(name);
    return found == std::string::npos ? "" : page.substr(found + name.size(), 2);
  };
  ASSERT_TRUE(Read(reader, "shop").ok());
  (void)reader.LookAtSamples();
  EXPECT_EQ(rhythm(), "0\n");
  while (!reader.rhythm()) {
    ASSERT_TRUE(Read(reader, "shop").ok());
    const auto next = reader.LookAtSamples();
    clock_.Advance(std::clamp<std::chrono::nanoseconds>(next - clock_.Steady(), 1ms, 15s));
  }
  EXPECT_EQ(rhythm(), "15");
  // What was asked for a quarter of a second before.
  const auto moment = reader.rhythm()->After(clock_.Steady());
  clock_.Advance(moment - clock_.Steady() - 250ms);
  const auto before = Read(reader, "shop");
  EXPECT_EQ(Read(reader, "shop")->metrics, before->metrics);
  clock_.Advance(250ms);
  const auto behind = Read(reader, "shop");
  EXPECT_NE(behind->metrics, before->metrics);
  clock_.Advance(250ms);
  EXPECT_EQ(Read(reader, "shop")->metrics, behind->metrics);
}

TEST_F(PodMetricsListTest, AListThatIsThereServesRatherThanOneUnderWay) {
  support::Channel<bool> asked;
  support::Channel<bool> go_on;  // both outlive the reader, whose thread may still read them
  PodMetricsReader reader(client_, clock_);
  CountPods(reader, 5, 500);
  EXPECT_EQ(Slot(reader, 100, 1), (std::map<std::string, int>{{"namespace", 100}}));
  clock_.Advance(13'900ms);  // before the others are due
  answer_ = [](const auto&) { return Metrics(Item("shop-0", "web-0")); };
  const auto first = Read(reader, "shop-0", "app=web-0");
  clock_.Advance(950ms);
  answer_ = [&](const kube::Request& request) {
    EXPECT_EQ(request.path, "/apis/metrics.k8s.io/v1beta1/pods");
    asked.Push(true);
    go_on.Pop();
    return Metrics("");
  };
  reader.Start({"shop-1", "app=web-0", 5, 15s, 1s}, [](const auto&) {});
  EXPECT_TRUE(asked.Pop());
  EXPECT_EQ(Read(reader, "shop-0", "app=web-0")->metrics, first->metrics) << "its namespace's";
  go_on.Push(true);
}

}  // namespace
}  // namespace ballast::sources
