// Which pods count: in the gathered snapshot, and in the decision from it.
#include "operator/controllers/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <thread>

#include "operator/cluster/pod_selection.h"
#include "operator/controllers/testing/await_answer.h"
#include "operator/controllers/testing/await_list.h"
#include "operator/engine/conditions.h"
#include "operator/engine/engine.h"
#include "operator/runtime/reflector.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"

namespace ballast::controllers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr Duration kPeriod = Duration::Seconds(15);

// The ownerReferences for a controller "Kind/name", whose uid is its name; empty: none.
std::string OwnedBy(const std::string& controller) {
  const std::size_t slash = controller.find('/');
  if (slash == std::string::npos) {
    return "";
  }
  const std::string kind = controller.substr(0, slash);
  const std::string name = controller.substr(slash + 1);
  return R"(,"ownerReferences":[{"apiVersion":")" +
         std::string(kind == "Job" ? "batch/v1" : "apps/v1") + R"(","kind":")" + kind +
         R"(","name":")" + name + R"(","uid":")" + name + R"(","controller":true}])";
}

std::string Metadata(const std::string& name, const std::string& more) {
  return R"("metadata":{"name":")" + name + R"(","namespace":"shop","uid":")" + name +
         R"(","resourceVersion":"3")" + more + "}";
}

std::string Scale(const std::string& name) {
  return "{" + Metadata(name, "") +
         R"(,"spec":{"replicas":3},"status":{"replicas":3,"selector":"app=web"}})";
}

std::string Workload(const std::string& name) {
  return "{" + Metadata(name, "") +
         R"(,"spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}}},)"
         R"("status":{"replicas":3}})";
}

class GatherPodsTest : public testing::Test {
 protected:
  // `max_silence`: of the watches of targets, which are silent.
  explicit GatherPodsTest(Duration max_silence = Duration::Seconds(1'000'000))
      : targets_(transport_, client_, mapper_, clock_, {}, max_silence) {}

  Result<kube::Response> Do(const kube::Request& request) {
    const std::string& path = request.path;
    if (const auto discovered = support::DiscoverApps(path)) {
      return *discovered;
    }
    const std::string last = path.substr(path.rfind('/') + 1);
    if (path.find("/replicasets/") != std::string::npos) {
      if (refused_) {
        return *refused_;
      }
      const auto found = replica_sets_.find(last);
      return found == replica_sets_.end()
                 ? Result<kube::Response>(Error{Code::kNotFound, "gone"})
                 : kube::Response{200, "{" + Metadata(last, OwnedBy(found->second)) + "}"};
    }
    if (last == "scale") {  // read while the watch of the kind has not synced
      const std::string object = path.substr(0, path.rfind('/'));
      return kube::Response{200, Scale(object.substr(object.rfind('/') + 1))};
    }
    std::string items;
    const auto add = [&items](const std::string& item) {
      items += (items.empty() ? "" : ",") + item;
    };
    if (last == "deployments") {
      add(Workload("web"));
      add(Workload("canary"));
    } else if (last == "statefulsets") {
      add(Workload("db"));
    } else if (last == "horizontalpodautoscalers") {
      add("{" + Metadata("canary", "") +
          R"(,"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment",)"
          R"("name":"canary"},"maxReplicas":9}})");
    }
    if (path.starts_with("/apis/custom.metrics.k8s.io/")) {
      clock_.Advance(metric_takes_);
    }
    for (const auto& [pod, controller] : pods_) {
      if (path.starts_with("/apis/custom.metrics.k8s.io/")) {
        add(R"({"describedObject":{"name":")" + pod +
            R"("},"metric":{"name":"qps"},"timestamp":"2023-11-14T22:13:20Z","value":"40"})");
      } else if (path.starts_with("/apis/metrics.k8s.io/")) {
        add("{" + Metadata(pod, "") +
            R"(,"timestamp":"2023-11-14T22:13:20Z","window":"15s","containers":[{"name":"app",)"
            R"("usage":{"cpu":"100m"}}]})");
      } else if (last == "pods") {
        add("{" + Metadata(pod, R"(,"labels":{"app":"web"})" + OwnedBy(controller)) +
            R"(,"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"100m"}}}]},)"
            R"("status":{"phase":"Running","startTime":"2023-11-14T20:00:00Z","conditions":)"
            R"([{"type":"Ready","status":"True","lastTransitionTime":"2023-11-14T20:00:00Z"}]}})");
      }
    }
    return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}"};
  }

  // A policy on CPU and on a Pods metric, once its target is watched.
  api::Autoscaler Policy(const std::string& selection, const std::string& kind,
                         const std::string& name) {
    if (!watches_.pods.HasSynced()) {
      watches_.Start();
      EXPECT_TRUE(watches_.hpas.WaitForSync(std::chrono::minutes(1)));
      EXPECT_TRUE(watches_.pods.WaitForSync(std::chrono::minutes(1)));
    }
    api::Autoscaler policy{.kind = api::kPolicyKind};
    policy.metadata.name = name;
    policy.metadata.namespace_ = "shop";
    policy.spec.scale_target_ref = {"apps/v1", kind, name};
    policy.spec.max_replicas = 20;
    policy.spec.pod_selection = selection;
    policy.spec.metrics.resize(2);
    policy.spec.metrics[0].type = "Resource";
    policy.spec.metrics[0].resource = {"cpu", {"Utilization", {}, {}, 50}};
    policy.spec.metrics[1].type = "Pods";
    policy.spec.metrics[1].pods = {{"qps", {}},
                                   {"AverageValue", {}, ParseQuantity("40").value(), {}}};
    // The kind's watch is not waited for.
    targets_.StartWatching({"apps/v1", kind, ""});
    while (targets_.MaySelect({"apps/v1", kind, ""}, "shop", {"app=web"}).empty()) {
      std::this_thread::yield();
    }
    return policy;
  }
  engine::Snapshot Gather(const std::string& selection, const std::string& kind = "Deployment",
                          const std::string& name = "web") {
    return Gather(ReadFor(Policy(selection, kind, name)));
  }
  session::MetricsAnswer ReadFor(const api::Autoscaler& policy) {
    return Read(gatherer_, {std::make_shared<const api::Autoscaler>(policy), kPeriod});
  }
  engine::Snapshot Gather(const session::MetricsAnswer& answer) {
    engine::Snapshot snapshot{.now = clock_.Now(), .autoscaler = *answer.request.autoscaler};
    (void)gatherer_.Gather(answer, *gatherer_.TargetOf(answer), snapshot);
    return snapshot;
  }
  void AwaitWatchOf(const api::Autoscaler& policy) {
    while (!targets_.FindAtOnce(policy.spec.scale_target_ref, {"shop", "web"})) {
      std::this_thread::yield();  // until the watch is complete
    }
  }
  // Returns once the operator knows that pod.
  void ReadPodsAgain(const std::string& pod) {
    clock_.Advance(runtime::Reflector::kRereadPeriod);
    ASSERT_TRUE(watches_.pods.Reread("shop"));
    while (!watches_.pods.StoreOf("shop")->Contains({"shop", pod})) {
      std::this_thread::yield();
    }
  }
  std::ptrdiff_t OwnersRead() const {
    return std::ranges::count_if(transport_.requests(), [](const kube::Request& request) {
      return request.path.find("/replicasets/") != std::string::npos;
    });
  }

  static std::vector<std::string> PodsOf(const engine::Snapshot& snapshot) {
    std::vector<std::string> names;
    for (const auto& pod : std::get<engine::PodList>(snapshot.pods)) {
      names.push_back(pod->metadata.name);
    }
    return names;
  }
  // The pods that have a value of the metric at `index`.
  static std::vector<std::string> Measured(const engine::Snapshot& snapshot, std::size_t index) {
    std::vector<std::string> names;
    const engine::MetricAnswer& answer = snapshot.metrics.at(index);
    if (const auto* resource = std::get_if<engine::PodMetricsList>(&answer)) {
      for (const auto& pod : *resource) {
        names.push_back(pod->name);
      }
    } else {
      for (const auto& value : std::get<engine::MetricValueList>(answer)) {
        names.push_back(value.described_object);
      }
    }
    return names;
  }

  // In the middle of a rollout, beside pods that match but belong to others.
  std::map<std::string, std::string> pods_ = {{"bare", ""},
                                              {"canary-0", "ReplicaSet/canary-1"},
                                              {"job-0", "Job/load"},
                                              {"web-a", "ReplicaSet/web-1"},
                                              {"web-b", "ReplicaSet/web-2"},
                                              {"web-c", "ReplicaSet/web-2"}};
  std::map<std::string, std::string> replica_sets_ = {
      {"web-1", "Deployment/web"}, {"web-2", "Deployment/web"}, {"canary-1", "Deployment/canary"}};
  std::optional<Error> refused_;  // the answer to a GET of a ReplicaSet
  std::chrono::seconds metric_takes_{0};
  support::FakeClock clock_;
  support::FakeTransport transport_{[this](const kube::Request& request) { return Do(request); },
                                    support::SilentStream};
  kube::Client client_{transport_};
  kube::RestMapper mapper_{transport_};
  cluster::Watches watches_{transport_, clock_, {}};
  cluster::ScaleTargets targets_;
  cluster::PodOwners owners_{client_, mapper_, clock_};
  sources::Sources sources_{client_, transport_, mapper_, clock_};
  Gatherer gatherer_{watches_, targets_, owners_, sources_, clock_, {}};
};

// As where nothing changes and etcd does not tell of its progress.
class GatherInSilenceTest : public GatherPodsTest {
 protected:
  GatherInSilenceTest() : GatherPodsTest(Duration::Seconds(120)) {}
};

TEST_F(GatherInSilenceTest, PodsAndTargetsAreListedBeforeItIsTooLong) {
  const auto are_targets_listed = [this] {
    return targets_.LastHeard().at("deployments.apps") == clock_.Steady() &&
           std::ranges::all_of(targets_.DebugState(),
                               [](const auto& watch) { return watch.state == "watching"; });
  };
  const api::Autoscaler policy = Policy("Selector", "Deployment", "web");
  clock_.Advance(std::chrono::seconds(90));
  EXPECT_EQ(Gather(ReadFor(policy)).pods_age, Duration::Seconds(90));
  for (const int later : {1, 91, 91}) {
    clock_.Advance(std::chrono::seconds(later));
    EXPECT_EQ(Gather(ReadFor(policy)).pods_age, Duration::Seconds(91));
    AwaitList(watches_.pods, clock_.Steady());
    EXPECT_EQ(Gather(ReadFor(policy)).pods_age, Duration());
    while (!are_targets_listed()) {
      std::this_thread::yield();
    }
  }
}

TEST_F(GatherPodsTest, SelectorCountsWhoeverHasTheLabels) {
  const engine::Snapshot snapshot = Gather("Selector");
  const auto all = ElementsAre("bare", "canary-0", "job-0", "web-a", "web-b", "web-c");
  EXPECT_THAT(PodsOf(snapshot), all);
  EXPECT_THAT(Measured(snapshot, 0), all);
  EXPECT_THAT(Measured(snapshot, 1), all);
  EXPECT_EQ(snapshot.pods_left_out, 0);
  ASSERT_EQ(snapshot.rivals.size(), 1U);
  EXPECT_EQ(snapshot.rivals[0].name, "canary");
  for (const kube::Request& request : transport_.requests()) {
    EXPECT_THAT(request.path, testing::Not(HasSubstr("/replicasets/"))) << "nobody's owner matters";
  }
}

TEST_F(GatherPodsTest, OwnedCountsTheTargetsOwn) {
  const engine::Snapshot snapshot = Gather("Owned");
  const auto own = ElementsAre("web-a", "web-b", "web-c");
  EXPECT_THAT(PodsOf(snapshot), own);
  EXPECT_THAT(Measured(snapshot, 0), own);
  EXPECT_THAT(Measured(snapshot, 1), own);
  EXPECT_EQ(snapshot.pods_left_out, 3);
  EXPECT_THAT(snapshot.rivals, IsEmpty()) << "the canary's autoscaler has other pods";
  // All three are at twice the target.
  EXPECT_EQ(engine::Decide(snapshot).target_replicas, 6);
}

// Its pods are also the Deployment's.
TEST_F(GatherPodsTest, WhoScalesAnOwnerInBetweenIsARival) {
  replica_sets_["canary-1"] = "Deployment/web";
  replica_sets_["canary"] = "Deployment/web";
  pods_["web-d"] = "ReplicaSet/canary";  // the uid of the other autoscaler's target
  const engine::Snapshot snapshot = Gather("Owned");
  EXPECT_THAT(PodsOf(snapshot), ElementsAre("canary-0", "web-a", "web-b", "web-c", "web-d"));
  ASSERT_EQ(snapshot.rivals.size(), 1U);
  EXPECT_EQ(engine::Decide(snapshot).problem->reason, "AmbiguousSelector");
}

TEST_F(GatherPodsTest, AStatefulSetOwnsDirectly) {
  pods_ = {{"db-0", "StatefulSet/db"}, {"db-1", "StatefulSet/db"}, {"old", "ReplicaSet/web-1"}};
  refused_ = Error{Code::kForbidden, "no"};  // no ReplicaSet needs to be read
  const engine::Snapshot snapshot = Gather("Owned", "StatefulSet", "db");
  EXPECT_THAT(PodsOf(snapshot), ElementsAre("db-0", "db-1"));
  EXPECT_EQ(snapshot.pods_left_out, 1);
}

// Pods of a ReplicaSet without an owner, of one that is gone, and of one adopted by another.
TEST_F(GatherPodsTest, OrphansAreNobodys) {
  pods_ = {{"a", "ReplicaSet/orphan"}, {"b", "ReplicaSet/gone"}, {"c", "ReplicaSet/adopted"}};
  replica_sets_ = {{"orphan", ""}, {"adopted", "Deployment/canary"}};
  const engine::Snapshot snapshot = Gather("Owned");
  EXPECT_THAT(PodsOf(snapshot), IsEmpty());
  EXPECT_EQ(snapshot.pods_left_out, 3);
  EXPECT_THAT(std::get<engine::Failure>(snapshot.metrics[0]).message,
              StartsWith("the target owns none of the 3 pods that match its selector "
                         "\"app=web\"; "));
  EXPECT_THAT(Measured(snapshot, 1), IsEmpty());
  const engine::Decision decision = engine::Decide(snapshot);
  EXPECT_FALSE(decision.rescale) << decision.rescale_reason;
}

// A worker asks for none of them: neither for those that are not known yet, nor for those that are
// known no longer once the metrics have answered, nor again for one that cannot be read.
TEST_F(GatherPodsTest, OwnersAreReadBeforeTheEvaluation) {
  const api::Autoscaler policy = Policy("Owned", "Deployment", "web");
  AwaitWatchOf(policy);
  const auto gather = [&] {
    const session::MetricsAnswer answer = ReadFor(policy);
    const auto before = OwnersRead();
    engine::Snapshot snapshot = Gather(answer);
    EXPECT_EQ(OwnersRead(), before);
    return snapshot;
  };
  EXPECT_THAT(PodsOf(gather()), ElementsAre("web-a", "web-b", "web-c"));
  const auto known = OwnersRead();
  metric_takes_ = std::chrono::minutes(11);
  clock_.Advance(std::chrono::seconds(30));
  EXPECT_THAT(PodsOf(gather()), ElementsAre("web-a", "web-b", "web-c"));
  EXPECT_GT(OwnersRead(), known);
  metric_takes_ = {};
  clock_.Advance(std::chrono::minutes(11));
  refused_ = Error{Code::kForbidden, "no"};
  EXPECT_TRUE(std::holds_alternative<engine::Failure>(gather().pods));
}

// In a rollout a pod of a new ReplicaSet has taken the place of another by the time a worker takes
// up the evaluation. Neither is that ReplicaSet asked for, nor is its pod taken for another's,
// which would leave too few: the pods are those that there were.
TEST_F(GatherPodsTest, APodWhoseOwnerIsNotKnownYetIsNotTakenForAnothers) {
  const api::Autoscaler policy = Policy("Owned", "Deployment", "web");
  for (const char* owners : {"are read", "are known"}) {
    SCOPED_TRACE(owners);
    AwaitWatchOf(policy);
    const session::MetricsAnswer answer = ReadFor(policy);
    const std::string before = pods_.lower_bound("web-a")->first;
    const std::string after = before + "-again";
    pods_.erase(before);
    pods_[after] = "ReplicaSet/of-" + after;
    replica_sets_["of-" + after] = "Deployment/web";
    ReadPodsAgain(after);
    const auto read = OwnersRead();
    const engine::Snapshot snapshot = Gather(answer);
    EXPECT_EQ(OwnersRead(), read);
    EXPECT_THAT(PodsOf(snapshot), ElementsAre(before, "web-b", "web-c"));
    EXPECT_EQ(snapshot.pods_left_out, 3);
    EXPECT_THAT(PodsOf(Gather(ReadFor(policy))), ElementsAre(after, "web-b", "web-c"));
  }
}

// With half of the pods the average, and so the count, would be arbitrary.
TEST_F(GatherPodsTest, NothingIsDecidedWhileAnOwnerCannotBeRead) {
  for (const Error& why : {Error{Code::kForbidden, "replicasets.apps \"web-1\" is forbidden"},
                           Error{Code::kTimeout, "no answer within 30000 ms"}}) {
    refused_ = why;
    const engine::Snapshot snapshot = Gather("Owned");
    const auto& failure = std::get<engine::Failure>(snapshot.pods);
    EXPECT_THAT(failure.message,
                StartsWith("which pods Deployment web owns cannot be determined: ReplicaSet "));
    EXPECT_THAT(failure.message, HasSubstr(why.message));
    EXPECT_THAT(snapshot.metrics, IsEmpty());
    const engine::Decision decision = engine::Decide(snapshot);
    EXPECT_FALSE(decision.rescale);
    const api::Condition* ready = engine::Find(decision.status.conditions, api::kReady);
    ASSERT_NE(ready, nullptr);
    EXPECT_EQ(ready->status, "False");
    EXPECT_EQ(ready->reason, "FailedComputeMetricsReplicas");
    EXPECT_EQ(ready->message, failure.message);
  }
  refused_.reset();
  EXPECT_THAT(PodsOf(Gather("Owned")), ElementsAre("web-a", "web-b", "web-c"));
}

}  // namespace
}  // namespace ballast::controllers
