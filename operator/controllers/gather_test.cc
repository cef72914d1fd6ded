#include "operator/controllers/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "operator/kube/discovery.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"

namespace ballast::controllers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// An autoscaler with its target.
struct Pair {
  std::string name;
  std::string selector;     // of the target, a LabelSelector
  std::string target = "";  // the autoscaler's name unless given
  std::string kind = "Deployment";
  bool hpa = false;
  std::string mode = "Active";
  std::string namespace_ = "shop";

  std::string Target() const { return target.empty() ? name : target; }
};

std::string Join(const std::vector<std::string>& items) {
  std::string all;
  for (const std::string& item : items) {
    all += (all.empty() ? "" : ",") + item;
  }
  return R"({"metadata":{"resourceVersion":"5"},"items":[)" + all + "]}";
}

std::string Metadata(const std::string& name, const std::string& namespace_,
                     const std::string& more = "") {
  return R"({"metadata":{"name":")" + name + R"(","namespace":")" + namespace_ + R"(","uid":")" +
         name + R"(","resourceVersion":"3")" + more + "},";
}

class GatherTest : public testing::Test {
 protected:
  Result<kube::Response> Do(const kube::Request& request) {
    if (const auto discovered = support::DiscoverApps(request.path)) {
      return *discovered;
    }
    std::vector<std::string> items;
    const std::string& path = request.path;
    if (path.starts_with("/apis/external.metrics.k8s.io/")) {
      clock_.Advance(std::chrono::seconds(3));
    }
    for (const Pair& pair : pairs_) {
      if (path.ends_with(pair.hpa ? "/horizontalpodautoscalers" : "/autoscalepolicies")) {
        items.push_back(Metadata(pair.name, pair.namespace_) +
                        R"("spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":")" + pair.kind +
                        R"(","name":")" + pair.Target() + R"("},"mode":")" + pair.mode +
                        R"(","maxReplicas":9}})");
      } else if (path.ends_with(pair.kind == "Deployment" ? "/deployments" : "/statefulsets") &&
                 pair.target.empty()) {
        items.push_back(Metadata(pair.name, pair.namespace_) +
                        R"("spec":{"replicas":2,"selector":)" + pair.selector +
                        R"(},"status":{"replicas":2}})");
      }
    }
    if (path.ends_with("/pods")) {
      for (const char* pod : {"web-0", "web-1"}) {
        items.push_back(Metadata(pod, "shop", R"(,"labels":{"app":"web","tier":"front"})") +
                        R"("spec":{},"status":{"phase":"Running"}})");
      }
    }
    return kube::Response{200, Join(items)};
  }

  // Of the policy "web", as "name: selector".
  std::vector<std::string> Rivals() {
    fleet_.Start();
    EXPECT_TRUE(fleet_.policies.WaitForSync(std::chrono::minutes(1)));
    EXPECT_TRUE(fleet_.hpas.WaitForSync(std::chrono::minutes(1)));
    EXPECT_TRUE(fleet_.pods.WaitForSync(std::chrono::minutes(1)));
    const auto resource = targets_.Resolve({"apps/v1", "Deployment", ""});
    const auto policy = fleet_.policies.Get({"shop", "web"});
    // The kinds' watches start with the first that asks, and nobody waits for them.
    for (const char* kind : {"Deployment", "StatefulSet"}) {
      while (targets_.MaySelect({"apps/v1", kind, ""}, "shop", {"app=web"}).empty()) {
        std::this_thread::yield();
      }
    }
    std::vector<std::string> rivals;
    for (const engine::Rival& rival :
         gatherer_.Gather(*policy, resource, clock_.Now()).snapshot.rivals) {
      rivals.push_back(rival.name + ": " + rival.selector);
    }
    return rivals;
  }

  // The policy itself, and one of another kind in another namespace.
  std::vector<Pair> pairs_ = {
      {"web", R"({"matchLabels":{"app":"web"}})"},
      {"set", R"({"matchLabels":{"app":"web"}})", "", "StatefulSet", false, "Disabled"}};
  support::FakeClock clock_;
  support::FakeTransport transport_{[this](const kube::Request& request) { return Do(request); },
                                    support::SilentStream};
  kube::Client client_{transport_};
  kube::RestMapper mapper_{transport_};
  Fleet fleet_{transport_, clock_, {}};
  Targets targets_{transport_, client_, mapper_, clock_, {}};
  metrics::PodMetricsReader pod_metrics_{client_, clock_};
  metrics::MetricValuesReader values_{transport_, mapper_};
  Owners owners_{client_, mapper_, clock_};
  Gatherer gatherer_{fleet_, targets_, owners_, pod_metrics_, values_, clock_, {}};
};

TEST_F(GatherTest, TellsWhichMetricTookLongest) {
  (void)Rivals();
  api::Autoscaler policy = *fleet_.policies.Get({"shop", "web"});
  api::MetricSpec cpu{.type = "Resource"};
  cpu.resource.emplace().name = "cpu";
  api::MetricSpec queue{.type = "External"};
  queue.external.emplace().metric.name = "queue";
  policy.spec.metrics = {cpu, queue};
  const auto resource = targets_.Resolve({"apps/v1", "Deployment", ""});
  const Gathered gathered = gatherer_.Gather(policy, resource, clock_.Now());
  EXPECT_EQ(gathered.slowest, "External/queue");
  EXPECT_EQ(gathered.asked.at(1), std::chrono::seconds(3));
  policy.spec.metrics.clear();
  EXPECT_EQ(gatherer_.Gather(policy, resource, clock_.Now()).slowest, "");
}

TEST_F(GatherTest, RivalsAreThoseWhoseTargetsMaySelectThePods) {
  const std::vector<Pair> others = {
      {"by-hpa", R"({"matchLabels":{"app":"web"}})", "", "Deployment", true},
      {"by-set",
       R"({"matchExpressions":[{"key":"tier","operator":"In","values":["back","front"]}]})", "",
       "StatefulSet"},
      {"by-presence", R"({"matchExpressions":[{"key":"tier","operator":"Exists"}]})"},
      {"dry-run", R"({"matchLabels":{"app":"web"}})", "", "Deployment", false, "DryRun"},
      {"other-app", R"({"matchLabels":{"app":"other"}})"},
      {"other-tier", R"({"matchExpressions":[{"key":"tier","operator":"In","values":["back"]}]})"},
      {"off", R"({"matchLabels":{"app":"web"}})", "", "Deployment", false, "Disabled"},
      {"same-target", "", "web", "Deployment", true},
      {"no-selector", "{}"},
      {"elsewhere", R"({"matchLabels":{"app":"web"}})", "", "Deployment", false, "Active", "other"},
  };
  pairs_.insert(pairs_.end(), others.begin(), others.end());
  EXPECT_THAT(Rivals(), ElementsAre("by-hpa: app=web", "by-presence: tier",
                                    "by-set: tier in (back,front)", "dry-run: app=web"));
}

// The snapshot, and with it the ledger, has none of them.
TEST_F(GatherTest, AThousandOthersAreNoRivals) {
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "app-" + std::to_string(i);
    pairs_.push_back({name, R"({"matchLabels":{"app":")" + name + R"(","tier":"front"}})"});
  }
  EXPECT_THAT(Rivals(), IsEmpty());
}

}  // namespace
}  // namespace ballast::controllers
