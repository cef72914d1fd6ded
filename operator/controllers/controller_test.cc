// The controller with its threads, and an API that hangs: one of metrics, the discovery of one
// group, the owners of pods, or a policy's own object.
#include "operator/controllers/controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "operator/controllers/cluster_ports.h"
#include "operator/controllers/gather.h"
#include "operator/kube/discovery.h"
#include "store/testing/open_ledger.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_patience.h"

namespace ballast::controllers {
namespace {

using namespace std::chrono_literals;

// Policies of each kind: more than an API has lanes, and so few that one worker keeps up with all.
constexpr int kOfEach = 6;
constexpr const char* kKinds[] = {"fast-",   "slow-",   "pods-",  "object-",
                                  "target-", "custom-", "owned-", "off-"};

// Counts the snapshots that are gathered of each policy.
class CountingSource final : public session::SourceDecorator {
 public:
  using SourceDecorator::SourceDecorator;

  session::Gathered Gather(const session::MetricsAnswer& answer, const session::SeenTarget& target,
                           engine::Snapshot& snapshot) override {
    if (before_) {
      before_(snapshot.autoscaler);
    }
    session::Gathered gathered = SourceDecorator::Gather(answer, target, snapshot);
    {
      const std::lock_guard lock(mutex_);
      ++counts_[snapshot.autoscaler.metadata.name];
    }
    counted_.notify_all();
    return gathered;
  }

  // What happens first each time. Call it before the controller starts.
  void Before(std::function<void(const api::Autoscaler&)> before) { before_ = std::move(before); }
  // Waits until that was done so often for each of these policies.
  bool Await(const std::string& prefix, int count) {
    std::unique_lock lock(mutex_);
    return counted_.wait_for(lock, support::Patience(), [&] {
      for (int i = 0; i < kOfEach; ++i) {
        if (counts_[prefix + std::to_string(i)] < count) {
          return false;
        }
      }
      return true;
    });
  }
  // Waits until that was done so often for any of them.
  bool AwaitOne(const std::string& prefix, int count) {
    std::unique_lock lock(mutex_);
    return counted_.wait_for(lock, support::Patience(), [&] {
      return std::ranges::any_of(counts_, [&](const auto& counted) {
        return counted.first.starts_with(prefix) && counted.second >= count;
      });
    });
  }
  // The fewest that were gathered of one of these policies, and the most.
  std::pair<int, int> Range(const std::string& prefix) {
    const std::lock_guard lock(mutex_);
    std::vector<int> counts;
    for (int i = 0; i < kOfEach; ++i) {
      counts.push_back(counts_[prefix + std::to_string(i)]);
    }
    const auto [fewest, most] = std::ranges::minmax(counts);
    return {fewest, most};
  }

 private:
  std::function<void(const api::Autoscaler&)> before_;
  std::mutex mutex_;  // guards: counts_
  std::condition_variable counted_;
  std::map<std::string, int> counts_;
};

class ControllerTest : public testing::Test {
 protected:
  ControllerTest() {
    watches_.Start();
    EXPECT_TRUE(watches_.policies.WaitForSync(support::Patience()) &&
                watches_.hpas.WaitForSync(support::Patience()) &&
                watches_.overrides.WaitForSync(support::Patience()) &&
                watches_.pods.WaitForSync(support::Patience()));
    const auto deployments = targets_.Resolve({"apps/v1", "Deployment", ""});
    for (const std::string kind : kKinds) {
      for (int i = 0; i < kOfEach; ++i) {
        const std::string name = kind + std::to_string(i);
        while (!targets_.Read(*deployments, {"shop", name}).ok() ||
               !targets_.FindAtOnce({"apps/v1", "Deployment", name}, {"shop", name})) {
          std::this_thread::yield();
        }
      }
    }
  }

  Result<kube::Response> Do(const kube::Request& request) {
    if (const auto discovered = support::DiscoverApps(request.path)) {
      return *discovered;
    }
    if (request.path.starts_with(hangs_.load())) {
      std::unique_lock lock(mutex_);
      answers_.wait(lock, [this] { return answered_; });
    }
    if (request.path.starts_with("/apis/external.metrics.k8s.io/") ||
        request.path.starts_with("/apis/custom.metrics.k8s.io/")) {
      return kube::Response{200, R"({"items":[{"value":"1"}]})"};
    }
    if (request.path == "/apis/hung.example.com" || request.path == "/apis/well.example.com") {
      return kube::Response{200, R"({"preferredVersion":{"version":"v1"}})"};
    }
    if (request.path == "/apis/hung.example.com/v1" ||
        request.path == "/apis/well.example.com/v1") {
      return kube::Response{200,
                            R"({"resources":[{"name":"queues","kind":"Queue","namespaced":true},)"
                            R"({"name":"queues/scale","kind":"Scale","namespaced":true}]})"};
    }
    // The scales of a kind that is not watched.
    if (request.path.find("/queues/") != std::string::npos) {
      return kube::Response{200, Metadata("queue") +
                                     R"("spec":{"replicas":1},)"
                                     R"("status":{"replicas":1,"selector":"a=b"}})"};
    }
    if (request.method == kube::Method::kGet && request.path.ends_with("/scale")) {
      const std::size_t begin = request.path.find(kDeploymentNames) + kDeploymentNames.size();
      return ScaleOf(request.path.substr(begin, request.path.rfind('/') - begin));
    }
    if (const auto at = request.path.find(kReplicaSets); at != std::string::npos) {
      const std::string name = request.path.substr(at + kReplicaSets.size());
      return kube::Response{
          200, Metadata("set-of-" + name, OwnedBy("Deployment", name)) + R"("spec":{}})"};
    }
    if (request.method != kube::Method::kGet ||
        request.path.find("/autoscalepolicies/") != std::string::npos) {
      return kube::Response{200, R"({"metadata":{"resourceVersion":"9"}})"};
    }
    std::string items;
    for (int i = 0; i < kOfEach; ++i) {
      const std::string number = std::to_string(i);
      if (request.path.ends_with("/autoscalepolicies")) {
        const std::string metric = R"("metric":{"name":"m)" + number + R"("},)";
        items += Policy("fast-" + number, R"({"type":"Resource","resource":{"name":"cpu",)") +
                 Policy("slow-" + number, R"({"type":"External","external":{)" + metric) +
                 Policy("pods-" + number, R"({"type":"Pods","pods":{)" + metric) +
                 Policy("object-" + number,
                        R"({"type":"Object","object":{"describedObject":{"apiVersion":)"
                        R"("hung.example.com/v1","kind":"Queue","name":"q"},)" +
                            metric) +
                 Policy("target-" + number, R"({"type":"Resource","resource":{"name":"cpu",)",
                        R"("apiVersion":"hung.example.com/v1","kind":"Queue")") +
                 // They have the same targets as others, and yield to them.
                 Policy("yields-" + number, R"({"type":"Resource","resource":{"name":"cpu",)",
                        R"("apiVersion":"hung.example.com/v1","kind":"Queue")", "", "Active",
                        "target-" + number) +
                 Policy("off-" + number, R"({"type":"Resource","resource":{"name":"cpu",)",
                        R"("apiVersion":"hung.example.com/v1","kind":"Queue")", "", "Disabled") +
                 Policy("custom-" + number, R"({"type":"Resource","resource":{"name":"cpu",)",
                        R"("apiVersion":"well.example.com/v1","kind":"Queue")") +
                 Policy("owned-" + number, R"({"type":"Resource","resource":{"name":"cpu",)",
                        kDeployments, R"("podSelection":"Owned",)");
      } else if (request.path.ends_with("/deployments")) {
        for (const std::string kind : kKinds) {
          items += Deployment(kind + number);
        }
      } else if (request.path == "/api/v1/pods") {
        const std::string name = "owned-" + number;
        items += Metadata("pod-of-" + name,
                          R"(,"labels":{"app":")" + name + R"("})" + OwnedBy("ReplicaSet", name)) +
                 R"("spec":{},"status":{"phase":"Running"}},)";
      }
    }
    if (has_late_set_ && request.path == "/api/v1/pods") {
      items += Metadata("another-pod-of-owned-0",
                        R"(,"labels":{"app":"owned-0"})" + OwnedBy("ReplicaSet", kLateSet)) +
               R"("spec":{},"status":{"phase":"Running"}},)";
    }
    if (!items.empty()) {
      items.pop_back();
    }
    return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}"};
  }
  void Hang(const char* path) { hangs_ = path; }
  // From now on there is a pod of owned-0 whose owner nobody has asked for.
  void AddPodOfLateSet() {
    has_late_set_ = true;
    EXPECT_TRUE(watches_.pods.Reread("shop"));
    while (!watches_.pods.StoreOf("shop")->Contains({"shop", "another-pod-of-owned-0"})) {
      std::this_thread::yield();
    }
  }
  void Answer() {
    {
      const std::lock_guard lock(mutex_);
      answered_ = true;
    }
    answers_.notify_all();
  }

 private:
  static constexpr const char* kDeployments = R"("apiVersion":"apps/v1","kind":"Deployment")";
  static constexpr std::string_view kReplicaSets = "/replicasets/";
  static constexpr std::string_view kDeploymentNames = "/deployments/";
  static constexpr const char* kLateSet = "late";

  static std::string Metadata(const std::string& name, const std::string& more = "") {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":")" + name +
           R"(","resourceVersion":"3","generation":1)" + more + "},";
  }
  // A Deployment's name is its uid; that of its ReplicaSet, whose name is the same, "set-of-" it.
  static std::string OwnedBy(const std::string& kind, const std::string& name) {
    const std::string uid = kind == "ReplicaSet" ? "set-of-" + name : name;
    return R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":")" + kind + R"(","name":")" +
           name + R"(","uid":")" + uid + R"(","controller":true}])";
  }
  static std::string Policy(const std::string& name, const std::string& metric,
                            const std::string& target = kDeployments, const std::string& more = "",
                            const std::string& mode = "Active", const std::string& of = "") {
    return Metadata(name) + R"("spec":{"scaleTargetRef":{)" + target + R"(,"name":")" +
           (of.empty() ? name : of) + R"("},"mode":")" + mode +
           R"(","syncPeriodSeconds":1,"minReplicas":1,"maxReplicas":9,)" + more + R"("metrics":[)" +
           metric + R"("target":{"type":"AverageValue","averageValue":"1"}}}]}},)";
  }
  // No newer than what the watch has: else it would be behind for good, since nothing is pushed.
  static kube::Response ScaleOf(const std::string& deployment) {
    return {200, Metadata(deployment) +
                     R"("spec":{"replicas":1},"status":{"replicas":1,"selector":"app=)" +
                     deployment + R"("}})"};
  }
  static std::string Deployment(const std::string& name) {
    return Metadata(name) + R"("spec":{"replicas":1,"selector":{"matchLabels":{"app":")" + name +
           R"("}}},"status":{"replicas":1}},)";
  }

  std::mutex mutex_;  // guards: answered_
  std::condition_variable answers_;
  std::atomic<const char*> hangs_ = "/apis/external.metrics.k8s.io/";  // paths that begin like that
  bool answered_ = false;
  std::atomic<bool> has_late_set_ = false;
  support::TempDir folder_;
  process::SystemClock clock_;
  support::FakeTransport transport_{[this](const kube::Request& request) { return Do(request); },
                                    support::SilentStream};
  kube::Client client_{transport_};
  kube::RestMapper mapper_{transport_};
  std::unique_ptr<store::Ledger> ledger_ =
      store::testing::OpenLedger(folder_.path() + "/a.db", {.intent_timeout = support::Patience()})
          .value();
  cluster::Watches watches_{transport_, clock_, {}};
  cluster::ScaleTargets targets_{transport_, client_, mapper_, clock_, {}, Duration::Seconds(120)};
  sources::Sources sources_{client_, transport_, mapper_, clock_};
  cluster::PodOwners owners_{client_, mapper_, clock_};
  Gatherer gatherer_{watches_, targets_, owners_, sources_, clock_, {}};
  runtime::EventRecorder events_{transport_, clock_};

 protected:
  CountingSource source_{gatherer_};

 private:
  ClusterPorts ports_{watches_, client_, targets_, source_, events_, clock_};
  Reconcilers reconcilers_{watches_, ports_.With(*ledger_)};

 protected:
  Controller controller_{watches_, targets_, reconcilers_, clock_, 1};
};

struct HangCase {
  const char* path;                  // requests whose paths begin like that are not answered
  std::vector<std::string> waiting;  // the policies that need them
};

class ControllerHangTest : public ControllerTest, public testing::WithParamInterface<HangCase> {};

// There is one worker. The others keep their number of evaluations.
TEST_P(ControllerHangTest, HoldsNoWorker) {
  Hang(GetParam().path);
  controller_.Start();
  std::vector<std::string> others;
  for (const std::string kind : kKinds) {
    if (std::ranges::find(GetParam().waiting, kind) == GetParam().waiting.end()) {
      others.push_back(kind);
    }
  }
  for (const std::string& kind : others) {
    EXPECT_TRUE(source_.Await(kind, 4)) << kind;
  }
  for (const std::string& kind : others) {
    const auto [fewest, most] = source_.Range(kind);
    EXPECT_LE(most - fewest, 2) << kind << ": none is left behind";
  }
  for (const std::string& kind : GetParam().waiting) {
    EXPECT_EQ(source_.Range(kind).second, 0) << kind;
  }
  Answer();
  for (const std::string& kind : GetParam().waiting) {
    EXPECT_TRUE(source_.Await(kind, 2)) << kind;
  }
  controller_.FinishWrites();
  controller_.Stop();
}

const HangCase kHangs[] = {{"/apis/external.metrics.k8s.io/", {"slow-"}},
                           {"/apis/custom.metrics.k8s.io/", {"pods-", "object-"}},
                           {"/apis/hung.example.com", {"object-", "target-", "off-"}},
                           {"/apis/apps/v1/namespaces/shop/replicasets/", {"owned-"}}};

INSTANTIATE_TEST_SUITE_P(Apis, ControllerHangTest, testing::ValuesIn(kHangs));

// It appears once its policy's evaluation has all that it waited for.
TEST_F(ControllerTest, AnOwnerThatAppearsLateHoldsNoWorker) {
  Hang("/apis/apps/v1/namespaces/shop/replicasets/late");
  source_.Before([this, evaluation = 0](const api::Autoscaler& policy) mutable {
    if (policy.metadata.name == "owned-0" && ++evaluation == 2) {
      AddPodOfLateSet();
    }
  });
  controller_.Start();
  for (const std::string kind : kKinds) {
    EXPECT_TRUE(kind == "owned-" || source_.Await(kind, 4)) << kind;
  }
  EXPECT_TRUE(source_.AwaitOne("owned-", 3)) << "the others do not wait";
  EXPECT_LE(source_.Range("owned-").first, 2) << "the one whose owner is not known does";
  Answer();
  EXPECT_TRUE(source_.Await("owned-", 4));
  controller_.FinishWrites();
  controller_.Stop();
}

// Where another replica may have led, it is read first.
TEST_F(ControllerTest, APolicyThatCannotBeReadHoldsNoWorker) {
  Hang("/apis/ballast.dev/v1alpha1/namespaces/shop/autoscalepolicies/off-0");
  controller_.Start();
  for (const std::string kind : kKinds) {
    EXPECT_TRUE(kind == "off-" || source_.Await(kind, 4)) << kind;
  }
  EXPECT_TRUE(source_.AwaitOne("off-", 4)) << "the others";
  EXPECT_EQ(source_.Range("off-").first, 0);
  Answer();
  EXPECT_TRUE(source_.Await("off-", 2));
  controller_.FinishWrites();
  controller_.Stop();
}

TEST_F(ControllerTest, WhatWaitsForAnApiEndsWithTheController) {
  controller_.Start();
  EXPECT_TRUE(source_.Await("fast-", 1));
  controller_.FinishWrites();
  std::jthread stopping([this] { controller_.Stop(); });
  Answer();
  stopping.join();
  EXPECT_EQ(source_.Range("slow-").second, 0);
}

}  // namespace
}  // namespace ballast::controllers
