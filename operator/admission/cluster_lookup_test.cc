#include "operator/admission/cluster_lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <map>
#include <thread>

#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"

namespace ballast::admission {
namespace {

using testing::ElementsAre;

using webhooks::Facts;

std::string Item(const std::string& name, const std::string& metadata, const std::string& rest) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":")" + name +
         R"(","resourceVersion":"1")" + metadata + "}," + rest + "}";
}

std::string Spec(const std::string& target, const std::string& more = "") {
  return R"("spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":")" +
         target + R"("},"maxReplicas":9)" + more + "}";
}

class ClusterLookupTest : public testing::Test {
 protected:
  // The items of each list, by its path.
  std::map<std::string, std::string> lists_;
  std::map<std::string, Result<kube::Response>> answers_ = {
      {"/apis/apps",
       kube::Response{200,
                      R"({"versions":[{"version":"v1"}],"preferredVersion":{"version":"v1"}})"}},
      {"/apis/apps/v1",
       kube::Response{200,
                      R"({"resources":[{"name":"deployments","kind":"Deployment","namespaced":true},
           {"name":"deployments/scale","kind":"Scale","namespaced":true},
           {"name":"daemonsets","kind":"DaemonSet","namespaced":true}]})"}},
      {"/apis/apps/v1/namespaces/shop/deployments/web/scale",
       kube::Response{200, R"({"metadata":{"name":"web","namespace":"shop"},"spec":{"replicas":3},
           "status":{"replicas":3,"selector":"app=web"}})"}},
  };

  Facts LookUp(const std::string& spec) {
    watches_.Start();
    for (auto* synced : {&watches_.policies, &watches_.hpas}) {
      EXPECT_TRUE(synced->WaitForSync(std::chrono::minutes(1)));
    }
    EXPECT_TRUE(watches_.pods.WaitForSync(std::chrono::minutes(1)));
    ClusterLookup lookup(watches_, transport_, clock_, {});
    return lookup.LookUp(Autoscaler(spec), webhooks::kLookupTimeout);
  }

  // Until nobody lists anything.
  void AwaitWatches() const {
    const auto watches = [](const auto& watch) { return watch.state == "watching"; };
    while (!std::ranges::all_of(watches_.DebugState(), watches)) {
      std::this_thread::yield();
    }
  }

  static api::Autoscaler Autoscaler(const std::string& spec) {
    const auto document = json::Parse("{" + spec + "}");
    json::Decoder decoder(*document);
    api::Autoscaler autoscaler;
    Decode(decoder.root(), autoscaler);
    EXPECT_TRUE(decoder.status().ok()) << decoder.status().error().message;
    autoscaler.kind = api::kPolicyKind;
    autoscaler.metadata.name = "mine";
    autoscaler.metadata.namespace_ = "shop";
    return autoscaler;
  }

  Result<kube::Response> Do(const kube::Request& request) {
    if (request.deadline <= clock_.Steady()) {
      return Error{Code::kTimeout, "there is no time left for it"};
    }
    const auto answer = answers_.find(request.path);
    if (answer != answers_.end()) {
      return answer->second;
    }
    for (const auto& [end, items] : lists_) {
      if (request.path.ends_with(end)) {
        return kube::Response{200,
                              R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}"};
      }
    }
    if (request.path.ends_with("/scale") || request.path.starts_with("/apis/none")) {
      return Error{Code::kNotFound, "not found"};
    }
    return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[]})"};
  }

  support::FakeClock clock_;
  support::FakeTransport transport_{[this](const kube::Request& request) { return Do(request); },
                                    support::SilentStream};
  cluster::Watches watches_{transport_, clock_, {}};
};

TEST_F(ClusterLookupTest, NamesEveryOtherAutoscalerOfTheTarget) {
  lists_["/autoscalepolicies"] = Item("mine", "", Spec("web", R"(,"mode":"Active")")) + "," +
                                 Item("off", "", Spec("web", R"(,"mode":"Disabled")")) + "," +
                                 Item("elsewhere", "", Spec("db"));
  lists_["/horizontalpodautoscalers"] =
      Item("mine", "", Spec("web")) + "," +
      Item("keda-hpa-web",
           R"(,"ownerReferences":[{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject",)"
           R"("name":"web","uid":"u","controller":true}])",
           Spec("web")) +
      "," + Item("just-deleted", "", Spec("web"));
  answers_.emplace("/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/just-deleted",
                   Error{Code::kNotFound, "not found"});
  const Facts facts = LookUp(Spec("web"));
  std::vector<std::string> rivals;
  for (const Facts::TargetRival& rival : facts.rivals) {
    rivals.push_back(rival.who + (rival.scales ? "" : " (off)"));
    EXPECT_EQ(rival.hpa, rival.who.starts_with("AutoScalePolicy")      ? ""
                         : rival.who.find("keda") == std::string::npos ? "mine"
                                                                       : "keda-hpa-web");
  }
  EXPECT_THAT(rivals, testing::UnorderedElementsAre(
                          "HorizontalPodAutoscaler shop/mine",
                          "HorizontalPodAutoscaler shop/keda-hpa-web of ScaledObject web",
                          "AutoScalePolicy shop/off (off)"));
}

// As on a server that sends no bookmarks.
TEST_F(ClusterLookupTest, ListsAgainWhatHasBeenSilentForTooLong) {
  LookUp(Spec("web"));
  AwaitWatches();
  lists_["/autoscalepolicies"] = Item("late", "", Spec("web", R"(,"mode":"Active")"));
  const auto look_up = [this] {
    ClusterLookup lookup(watches_, transport_, clock_, {});
    const Facts facts = lookup.LookUp(Autoscaler(Spec("web")), webhooks::kLookupTimeout);
    EXPECT_EQ(facts.silence, "");
    AwaitWatches();
    return facts.rivals.size();
  };
  clock_.Advance(std::chrono::seconds(90));
  EXPECT_EQ(look_up(), 0u);
  clock_.Advance(std::chrono::seconds(31));
  EXPECT_EQ(look_up(), 1u) << "the review waits for the list";
  lists_.clear();
  clock_.Advance(std::chrono::seconds(91));
  look_up();  // waits for no list, but has it made
  while (watches_.policies.AsOf("shop") != clock_.Steady()) {
    std::this_thread::yield();
  }
  EXPECT_EQ(look_up(), 0u);
}

TEST_F(ClusterLookupTest, TellsOfSilentWatchesWhoseObjectsCannotBeListed) {
  LookUp(Spec("web"));
  AwaitWatches();
  answers_.emplace("/apis/autoscaling/v2/horizontalpodautoscalers",
                   Error{Code::kTimeout, "no answer"});
  clock_.Advance(std::chrono::seconds(121));
  ClusterLookup lookup(watches_, transport_, clock_, {});
  auto facts = std::async(std::launch::async, [&] {
    return lookup.LookUp(Autoscaler(Spec("web")), webhooks::kLookupTimeout);
  });
  while (watches_.policies.AsOf("shop") != clock_.Steady()) {
    std::this_thread::yield();
  }
  while (facts.wait_for(std::chrono::seconds(0)) == std::future_status::timeout) {
    clock_.Advance(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(facts.get().silence,
            "the API server has been silent about horizontalpodautoscalers.autoscaling for 121 s");
}

TEST_F(ClusterLookupTest, TellsWhatTheTargetIs) {
  answers_.emplace("/apis/apps/v1/namespaces/shop/deployments/locked/scale",
                   Error{Code::kForbidden, "no right"});
  answers_.emplace("/apis/apps/v1/namespaces/shop/deployments/slow/scale",
                   Error{Code::kTimeout, "no answer"});
  const auto target = [](const std::string& api_version, const std::string& kind,
                         const std::string& name) {
    return R"("spec":{"scaleTargetRef":{"apiVersion":")" + api_version + R"(","kind":")" + kind +
           R"(","name":")" + name + R"("},"maxReplicas":9})";
  };
  const struct {
    std::string spec;
    Facts::TargetState expected;
  } kCases[] = {
      {target("apps/v1", "Deployment", "web"), Facts::TargetState::kFound},
      {target("apps/v1", "Deployment", "absent"), Facts::TargetState::kMissing},
      {target("apps/v1", "Deployment", "locked"), Facts::TargetState::kForbidden},
      {target("apps/v1", "Deployment", "slow"), Facts::TargetState::kUnknown},
      {target("apps/v1", "DaemonSet", "web"), Facts::TargetState::kNoScale},
      {target("none/v1", "Nothing", "web"), Facts::TargetState::kUnknownKind},
      {target("apps/v1", "Deployment", std::string(254, 'a')), Facts::TargetState::kMissing},
      {target(std::string(5000, 'a') + "/v1", "Deployment", "web"),
       Facts::TargetState::kUnknownKind},
  };
  watches_.Start();
  for (const auto& c : kCases) {
    ClusterLookup lookup(watches_, transport_, clock_, {});
    const Facts facts = lookup.LookUp(Autoscaler(c.spec), webhooks::kLookupTimeout);
    EXPECT_EQ(facts.target, c.expected) << c.spec;
    EXPECT_EQ(facts.replicas, c.expected == Facts::TargetState::kFound ? 3 : 0);
  }
  for (const kube::Request& request : transport_.requests()) {
    EXPECT_LT(request.path.size(), 300U);
    if (request.path.ends_with("/scale") || request.path.ends_with("/resourcequotas")) {
      EXPECT_LE(request.timeout, std::chrono::seconds(1)) << request.path;
    }
  }
}

TEST_F(ClusterLookupTest, ListsTheSourcesForTheNamespace) {
  watches_.Start();
  ClusterLookup lookup(
      watches_, transport_, clock_,
      {.metric_sources = {{"mine", {{"shop"}}}, {"theirs", {{"bank"}}}, {"for-all", {{"*"}}}}});
  EXPECT_THAT(lookup.LookUp(Autoscaler(Spec("web")), webhooks::kLookupTimeout).metric_sources,
              testing::ElementsAre("for-all", "mine"));
}

// However many requests there are to make, a silent API server delays no review beyond its
// timeout.
TEST_F(ClusterLookupTest, TakesNoLongerThanTheTimeout) {
  std::string rivals;
  for (int i = 0; i < 10; ++i) {
    rivals += (i == 0 ? "" : ",") + Item("rival-" + std::to_string(i), "", Spec("web"));
  }
  lists_["/autoscalepolicies"] = rivals;
  watches_.Start();
  ASSERT_TRUE(watches_.policies.WaitForSync(std::chrono::minutes(1)));
  support::FakeTransport silent([this](const kube::Request& request) -> Result<kube::Response> {
    const auto left =
        std::max(request.deadline - clock_.Steady(), process::SteadyTime::duration(0));
    clock_.Advance(std::min<process::SteadyTime::duration>(request.timeout, left));
    return Error{Code::kTimeout, "no answer"};
  });
  ClusterLookup lookup(watches_, silent, clock_, {});
  for (const auto timeout : {webhooks::kLookupTimeout, webhooks::kLookupTimeout,
                             std::chrono::milliseconds(300), std::chrono::milliseconds(0)}) {
    const process::SteadyTime began = clock_.Steady();
    const Facts facts = lookup.LookUp(Autoscaler(Spec("web")), timeout);
    EXPECT_EQ(clock_.Steady() - began, timeout);
    EXPECT_EQ(facts.rivals.size(), 10u) << "those that cannot be asked about count";
    EXPECT_EQ(facts.target, Facts::TargetState::kUnknown);
  }
}

TEST_F(ClusterLookupTest, AsksForTheNamespacesLabelsIfARuleIsAboutThem) {
  const std::string path = "/api/v1/namespaces/shop";
  const api::Labels labels = {{"tier", "batch"}, {"kubernetes.io/metadata.name", "shop"}};
  const struct {
    Result<kube::Response> answer;
    bool needed;
    std::optional<api::Labels> found;
  } kCases[] = {
      {kube::Response{200, R"({"metadata":{"name":"shop","labels":{"tier":"batch",)"
                           R"("kubernetes.io/metadata.name":"shop"}}})"},
       true, labels},
      {kube::Response{200, R"({"metadata":{"name":"shop"}})"}, true, api::Labels()},
      {Error{Code::kForbidden, "no right"}, true, std::nullopt},
      {Error{Code::kForbidden, "not asked"}, false, std::nullopt},
  };
  watches_.Start();
  for (const auto& c : kCases) {
    support::FakeTransport transport([&](const kube::Request& request) {
      return request.path == path && request.deadline > clock_.Steady() ? c.answer : Do(request);
    });
    ClusterLookup lookup(watches_, transport, clock_, {.namespace_labels = c.needed});
    EXPECT_EQ(lookup.LookUp(Autoscaler(Spec("web")), webhooks::kLookupTimeout).namespace_labels,
              c.found);
    EXPECT_EQ(std::ranges::count(transport.requests(), path, &kube::Request::path),
              c.needed ? 1 : 0);
    if (c.needed) {
      EXPECT_EQ(lookup.LabelsOf("shop", webhooks::kLookupTimeout), c.found);
      EXPECT_EQ(lookup.LabelsOf("shop", std::chrono::milliseconds(0)), std::nullopt);
    }
  }
}

TEST_F(ClusterLookupTest, LooksAtThePodsAndTheQuotas) {
  const auto pod = [](const std::string& name, const std::string& requests) {
    return Item(name, R"(,"labels":{"app":"web"})",
                R"("spec":{"containers":[{"name":"app","resources":{"requests":)" + requests +
                    R"(}}]},"status":{"phase":"Running"})");
  };
  lists_["/pods"] = pod("web-0", R"({"cpu":"250m"})") + "," + pod("web-1", R"({"memory":"1Gi"})");
  lists_["/resourcequotas"] =
      Item("count", "", R"("spec":{"hard":{"pods":"20","secrets":"1"}})") + "," +
      Item("compute", "", R"("spec":{"hard":{"requests.cpu":"2","limits.cpu":"1"}})") + "," +
      Item("best-effort", "", R"("spec":{"hard":{"pods":"1"},"scopes":["BestEffort"]})");
  const Facts facts =
      LookUp(Spec("web", R"(,"metrics":[{"type":"Resource","resource":{"name":"cpu","target":)"
                         R"({"type":"Utilization","averageUtilization":60}}},)"
                         R"({"type":"Resource","resource":{"name":"memory","target":)"
                         R"({"type":"AverageValue","averageValue":"1Gi"}}}])"));
  EXPECT_THAT(facts.missing_requests,
              ElementsAre("missing request for cpu in container app of Pod web-1"));
  ASSERT_TRUE(facts.quota);
  EXPECT_EQ(facts.quota->name, "shop/compute");
  EXPECT_EQ(facts.quota->resource, "requests.cpu");
  EXPECT_EQ(facts.quota->replicas, 8);
}

}  // namespace
}  // namespace ballast::admission
