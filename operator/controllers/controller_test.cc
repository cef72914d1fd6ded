// The controller with its threads, and a metrics API that hangs.
#include "operator/controllers/controller.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "operator/controllers/cluster_ports.h"
#include "operator/controllers/gather.h"
#include "operator/kube/discovery.h"
#include "store/sqlite/sqlite_ledger.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"
#include "tests/support/temp_dir.h"

namespace ballast::controllers {
namespace {

using namespace std::chrono_literals;

constexpr int kOfEach = 20;  // policies with a Resource metric, and with an External one

// Counts the snapshots that are gathered of each policy.
class CountingSource final : public SnapshotSource {
 public:
  explicit CountingSource(SnapshotSource& source) : source_(source) {}

  bool Prepare(const api::Autoscaler& policy, Duration period,
               const std::function<void()>& done) override {
    return source_.Prepare(policy, period, done);
  }
  Gathered Gather(const api::Autoscaler& policy, Duration period, Time now) override {
    Gathered gathered = source_.Gather(policy, period, now);
    {
      const std::lock_guard lock(mutex_);
      ++counts_[policy.metadata.name];
    }
    counted_.notify_all();
    return gathered;
  }

  // Waits until that was done so often for each of these policies.
  bool Await(const std::string& prefix, int count) {
    std::unique_lock lock(mutex_);
    return counted_.wait_for(lock, 30s, [&] {
      for (int i = 0; i < kOfEach; ++i) {
        if (counts_[prefix + std::to_string(i)] < count) {
          return false;
        }
      }
      return true;
    });
  }
  int Count(const std::string& prefix) {
    const std::lock_guard lock(mutex_);
    int count = 0;
    for (int i = 0; i < kOfEach; ++i) {
      count += counts_[prefix + std::to_string(i)];
    }
    return count;
  }

 private:
  SnapshotSource& source_;
  std::mutex mutex_;  // guards: counts_
  std::condition_variable counted_;
  std::map<std::string, int> counts_;
};

class ControllerTest : public testing::Test {
 protected:
  ControllerTest() {
    watches_.Start();
    EXPECT_TRUE(watches_.policies.WaitForSync(1min) && watches_.hpas.WaitForSync(1min) &&
                watches_.pods.WaitForSync(1min));
    const auto deployments = targets_.Resolve({"apps/v1", "Deployment", ""});
    while (!targets_.Read(*deployments, {"shop", "slow-0"}).ok()) {
      std::this_thread::yield();
    }
  }

  Result<kube::Response> Do(const kube::Request& request) {
    if (const auto discovered = support::DiscoverApps(request.path)) {
      return *discovered;
    }
    if (request.path.starts_with("/apis/external.metrics.k8s.io/")) {
      std::unique_lock lock(mutex_);
      answers_.wait(lock, [this] { return answered_; });
      return kube::Response{200, R"({"items":[{"value":"1"}]})"};
    }
    if (request.method != kube::Method::kGet ||
        request.path.find("/autoscalepolicies/") != std::string::npos) {
      return kube::Response{200, R"({"metadata":{"resourceVersion":"9"}})"};
    }
    std::string items;
    for (int i = 0; i < kOfEach; ++i) {
      const std::string number = std::to_string(i);
      if (request.path.ends_with("/autoscalepolicies")) {
        items += Policy("fast-" + number, R"({"type":"Resource","resource":{"name":"cpu",)") +
                 Policy("slow-" + number, R"({"type":"External","external":{"metric":{"name":"m)" +
                                              number + R"("},)");
      } else if (request.path.ends_with("/deployments")) {
        items += Deployment("fast-" + number) + Deployment("slow-" + number);
      }
    }
    if (!items.empty()) {
      items.pop_back();
    }
    return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}"};
  }
  void Answer() {
    {
      const std::lock_guard lock(mutex_);
      answered_ = true;
    }
    answers_.notify_all();
  }

 private:
  static std::string Metadata(const std::string& name) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":")" + name +
           R"(","resourceVersion":"3","generation":1},)";
  }
  static std::string Policy(const std::string& name, const std::string& metric) {
    return Metadata(name) +
           R"("spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":")" +
           name +
           R"("},"mode":"Active","syncPeriodSeconds":1,"minReplicas":1,"maxReplicas":9,)"
           R"("metrics":[)" +
           metric + R"("target":{"type":"AverageValue","averageValue":"1"}}}]}},)";
  }
  static std::string Deployment(const std::string& name) {
    return Metadata(name) + R"("spec":{"replicas":1,"selector":{"matchLabels":{"app":")" + name +
           R"("}}},"status":{"replicas":1}},)";
  }

  std::mutex mutex_;  // guards: answered_
  std::condition_variable answers_;
  bool answered_ = false;
  support::TempDir folder_;
  runtime::SystemClock clock_;
  support::FakeTransport transport_{[this](const kube::Request& request) { return Do(request); },
                                    support::SilentStream};
  kube::Client client_{transport_};
  kube::RestMapper mapper_{transport_};
  std::unique_ptr<store::Ledger> ledger_ = store::OpenLedger(folder_.path() + "/a.db").value();
  cluster::Watches watches_{transport_, clock_, {}};
  cluster::ScaleTargets targets_{transport_, client_, mapper_, clock_, {}};
  sources::Sources sources_{client_, transport_, mapper_, clock_};
  cluster::PodOwners owners_{client_, mapper_, clock_};
  Gatherer gatherer_{watches_, targets_, owners_, sources_, clock_, {}};
  runtime::EventRecorder events_{transport_, clock_};

 protected:
  CountingSource source_{gatherer_};

 private:
  ClusterPorts ports_{client_, targets_, source_, events_, clock_};
  Reconciler reconciler_{watches_, ports_.With(*ledger_)};

 protected:
  Controller controller_{watches_, targets_, reconciler_, clock_, 1};
};

TEST_F(ControllerTest, AnApiThatHangsHoldsNoWorker) {
  controller_.Start();
  EXPECT_TRUE(source_.Await("fast-", 3));
  EXPECT_EQ(source_.Count("slow-"), 0);
  Answer();
  EXPECT_TRUE(source_.Await("slow-", 2));
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
  EXPECT_EQ(source_.Count("slow-"), 0);
}

}  // namespace
}  // namespace ballast::controllers
