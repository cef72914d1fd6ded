// How many requests a fleet of policies costs: 250 of them in virtual time, each with a
// Deployment of five pods and a CPU metric or one External metric, the same for all of a namespace,
// against an API server that counts.
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "operator/controllers/cluster_ports.h"
#include "operator/controllers/gather.h"
#include "operator/controllers/reconcilers.h"
#include "operator/controllers/testing/reconcile.h"
#include "operator/kube/discovery.h"
#include "operator/runtime/key_queue.h"
#include "store/testing/open_ledger.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"
#include "tests/support/fleet_json.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_patience.h"

namespace ballast::controllers {
namespace {

using namespace std::chrono_literals;

constexpr int kPolicies = 250;
constexpr int kPodsOfOne = 5;
constexpr std::chrono::seconds kPeriod{15};

struct Counts {
  int evaluations = 0;
  int metrics = 0;
  int statuses = 0;
  int others = 0;
  std::size_t pods = 0;                // with metrics, in all answers
  std::size_t bytes = 0;               // of these answers
  std::chrono::nanoseconds latest{0};  // evaluation behind its samples

  double PerEvaluation(int requests) const { return static_cast<double>(requests) / evaluations; }
};

struct FleetCase {
  int namespaces;
  const char* metric;
  double most;                            // requests other than status for an evaluation
  std::chrono::seconds samples_every{0};  // 0: each answer has one of its own
};

constexpr const char* kQueue =
    R"({"type":"External","external":{"metric":{"name":"queue"},"target":{"type":"AverageValue","averageValue":"10"}}})";

class FleetServer {
 public:
  FleetServer(const FleetCase& of, const process::Clock& clock)
      : namespaces_(of.namespaces),
        metric_(of.metric),
        samples_every_(of.samples_every),
        clock_(clock) {}

  Result<kube::Response> Do(const kube::Request& request) {
    if (const auto discovered = support::DiscoverApps(request.path)) {
      return *discovered;
    }
    if (request.method == kube::Method::kPatch) {
      const std::lock_guard lock(mutex_);
      ++counts_.statuses;
      return kube::Response{200, R"({"metadata":{"resourceVersion":"9"}})"};
    }
    if (request.path.starts_with("/apis/metrics.k8s.io/")) {
      return Metrics(request);
    }
    if (request.path.starts_with("/apis/external.metrics.k8s.io/")) {
      const std::lock_guard lock(mutex_);
      ++counts_.metrics;
      return kube::Response{
          200, R"({"items":[{"value":"50","timestamp":")" + Print(clock_.Now()) + R"("}]})"};
    }
    for (const auto& [end, item] : {std::pair{"/autoscalepolicies", &FleetServer::Policy},
                                    {"/deployments", &FleetServer::Deployment}}) {
      if (request.path.ends_with(end)) {
        return List([&, make = item](int i) { return (this->*make)(i); });
      }
    }
    if (request.path == "/api/v1/pods") {
      return List([&](int i) { return Pods(i); });
    }
    for (const char* none : {"/horizontalpodautoscalers", "/autoscaleoverrides", "/events"}) {
      if (request.path.ends_with(none)) {
        return List([](int) { return std::string(); });
      }
    }
    const std::lock_guard lock(mutex_);
    ++counts_.others;
    return kube::Response{200, "{}"};  // a policy as it was created
  }

  // When the samples were taken that it has now.
  Time SampledAt() const {
    const std::int64_t now = clock_.Now().unix_nanoseconds();
    return Time::FromUnixNanoseconds(samples_every_ == 0ns ? now
                                                           : now - now % samples_every_.count());
  }
  api::ObjectReference Key(int i) const { return {api::kPolicyKind, NamespaceOf(i), Name(i)}; }
  Counts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  std::string NamespaceOf(int i) const { return "shop-" + std::to_string(i % namespaces_); }
  static std::string Name(int i) { return "web-" + std::to_string(i); }
  std::string Policy(int i) const { return support::FleetPolicy(NamespaceOf(i), Name(i), metric_); }
  std::string Deployment(int i) const {
    return support::FleetDeployment(NamespaceOf(i), Name(i), kPodsOfOne);
  }
  template <typename Print>
  std::string OfPods(int i, const Print& print) const {
    std::string all;
    for (int pod = 0; pod < kPodsOfOne; ++pod) {
      all += (pod == 0 ? "" : ",") + print(Name(i) + "-" + std::to_string(pod));
    }
    return all;
  }
  std::string Pods(int i) const {
    return OfPods(
        i, [&](const std::string& pod) { return support::FleetPod(NamespaceOf(i), Name(i), pod); });
  }
  template <typename Item>
  static kube::Response List(const Item& item) {
    std::string items;
    for (int i = 0; i < kPolicies; ++i) {
      if (const std::string one = item(i); !one.empty()) {
        items += (items.empty() ? "" : ",") + one;
      }
    }
    return {200, R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}"};
  }

  kube::Response Metrics(const kube::Request& request) {
    const std::string rest =
        R"("timestamp":")" + Print(SampledAt()) +
        R"(","window":"15s","containers":[{"name":"c","usage":{"cpu":"50m"}}]})";
    const std::string selector = support::QueryOf(request, "labelSelector");
    int asked = 0;
    kube::Response response = List([&](int i) -> std::string {
      if ((request.path.find("/namespaces/") != std::string::npos &&
           request.path.find("/" + NamespaceOf(i) + "/") == std::string::npos) ||
          (selector != "-" && selector != "app=" + Name(i))) {
        return "";
      }
      ++asked;
      return OfPods(i, [&](const std::string& pod) {
        return support::FleetMetadata(NamespaceOf(i), Name(i), pod) + rest;
      });
    });
    const std::lock_guard lock(mutex_);
    ++counts_.metrics;
    counts_.pods += static_cast<std::size_t>(asked * kPodsOfOne);
    counts_.bytes += response.body.size();
    return response;
  }

  const int namespaces_;
  const std::string metric_;
  const std::chrono::nanoseconds samples_every_;
  const process::Clock& clock_;
  mutable std::mutex mutex_;  // guards: counts_
  Counts counts_;
};

class Fleet {
 public:
  explicit Fleet(const FleetCase& of) : server_(of, clock_) {
    watches_.Start();
    EXPECT_TRUE(watches_.policies.WaitForSync(1min) && watches_.hpas.WaitForSync(1min) &&
                watches_.overrides.WaitForSync(1min) && watches_.pods.WaitForSync(1min));
    const auto deployments = targets_.Resolve({"apps/v1", "Deployment", ""});
    const api::ObjectReference last = server_.Key(kPolicies - 1);
    while (!targets_.Read(*deployments, last.key()).ok()) {
      std::this_thread::yield();
    }
    for (int i = 0; i < kPolicies; ++i) {
      queue_.Add(server_.Key(i), clock_.Steady());
    }
  }

  // What the fleet costs from now on for that long, if an evaluation takes a millisecond.
  Counts Run(std::chrono::seconds span) {
    const Counts before = server_.counts();
    const process::SteadyTime until = clock_.Steady() + span;
    int evaluations = 0;
    std::chrono::nanoseconds latest{0};
    while (clock_.Steady() < until) {
      const process::SteadyTime look_at = sources_.LookAtSamples();
      const auto next = queue_.Take(clock_.Steady());
      if (!next.key) {
        clock_.Advance(std::max<std::chrono::nanoseconds>(
            std::min({next.wake_at, look_at, until}) - clock_.Steady(), 1ms));
        continue;
      }
      const process::SteadyTime began = clock_.Steady();
      latest = std::max(latest,
                        std::chrono::nanoseconds((clock_.Now() - server_.SampledAt()).nanoseconds));
      const auto again = Reconcile(reconcilers_, *next.key);
      clock_.Advance(1ms);
      queue_.AddAfter(*next.key,
                      reconcilers_.NextRun(*next.key, again->period, began) - clock_.Steady(),
                      clock_.Steady());
      queue_.Done(*next.key, clock_.Steady());
      ++evaluations;
    }
    const Counts after = server_.counts();
    return {evaluations,
            after.metrics - before.metrics,
            after.statuses - before.statuses,
            after.others - before.others,
            after.pods - before.pods,
            after.bytes - before.bytes,
            latest};
  }

  // Whether the snapshot of an evaluation says that it follows new samples.
  bool SaysThatItFollowsSamples() {
    const auto policy = watches_.policies.List().front();
    const session::MetricsAnswer answer =
        Read(gatherer_, {policy, Duration::Seconds(kPeriod.count())});
    engine::Snapshot snapshot{.now = clock_.Now(), .autoscaler = *policy};
    (void)gatherer_.Gather(answer, *gatherer_.TargetOf(answer), snapshot);
    return snapshot.samples_every.has_value();
  }

 private:
  support::TempDir folder_;
  support::FakeClock clock_;
  FleetServer server_;
  support::FakeTransport transport_{
      [this](const kube::Request& request) { return server_.Do(request); }, support::SilentStream};
  kube::Client client_{transport_};
  kube::RestMapper mapper_{transport_};
  std::unique_ptr<store::Ledger> ledger_ =
      store::testing::OpenLedger(folder_.path() + "/a.db", {.intent_timeout = support::Patience()})
          .value();
  cluster::Watches watches_{transport_, clock_, {}};
  // They are silent, which this test is not about.
  const engine::Settings settings_{.max_view_age = Duration::Seconds(1'000'000)};
  cluster::ScaleTargets targets_{transport_, client_, mapper_, clock_, {}, settings_.max_view_age};
  sources::Sources sources_{client_, transport_, mapper_, clock_};
  cluster::PodOwners owners_{client_, mapper_, clock_};
  Gatherer gatherer_{watches_, targets_, owners_, sources_, clock_, settings_};
  runtime::EventRecorder events_{transport_, clock_};
  ClusterPorts ports_{watches_, client_, targets_, gatherer_, events_, clock_};
  Reconcilers reconcilers_{
      watches_,
      ports_.With(*ledger_),
      {.sessions = {.max_view_age = settings_.max_view_age},
       .pacing = {
           .slots_across_namespaces = [this] { return sources_.pod_metrics().ListsCluster(); },
           .pod_metrics_rhythm = [this] { return sources_.pod_metrics().rhythm(); }}}};
  runtime::KeyQueue queue_;
};

class FleetRequestsTest : public testing::TestWithParam<FleetCase> {};

TEST_P(FleetRequestsTest, AreFewForEachEvaluation) {
  Fleet fleet(GetParam());
  const bool behind_samples = GetParam().samples_every > 0s;
  // Until it is known what is asked for, and in which rhythm.
  (void)fleet.Run((behind_samples ? 10 : 3) * kPeriod);
  const Counts counts = fleet.Run(4 * kPeriod);
  std::cout << GetParam().namespaces << " namespaces, for each of " << counts.evaluations
            << " evaluations: " << counts.PerEvaluation(counts.metrics + counts.others)
            << " requests other than status, "
            << counts.PerEvaluation(counts.metrics + counts.others + counts.statuses) << " in all, "
            << static_cast<double>(counts.pods) / counts.evaluations << " pod samples, "
            << counts.bytes / static_cast<std::size_t>(counts.evaluations) << " bytes, "
            << std::chrono::duration<double>(counts.latest).count() << " s behind samples\n";
  if (behind_samples) {
    EXPECT_LT(counts.latest, kPolicies * 1ms + 500ms);  // each takes a millisecond
    EXPECT_LE(counts.evaluations, 4 * kPolicies);
  }
  EXPECT_EQ(fleet.SaysThatItFollowsSamples(), behind_samples);
  EXPECT_GE(counts.evaluations, 4 * kPolicies - kPolicies / 10);
  EXPECT_LT(counts.PerEvaluation(counts.metrics + counts.others), GetParam().most);
  EXPECT_LT(counts.PerEvaluation(counts.metrics + counts.others + counts.statuses), 0.05);
}

INSTANTIATE_TEST_SUITE_P(Namespaces, FleetRequestsTest,
                         testing::Values(FleetCase{1, support::kFleetCpu, 0.02},
                                         FleetCase{2, support::kFleetCpu, 0.02},
                                         FleetCase{kPolicies, support::kFleetCpu, 0.02},
                                         FleetCase{2, support::kFleetCpu, 0.02, 15s},
                                         FleetCase{kPolicies, support::kFleetCpu, 0.02, 15s},
                                         FleetCase{1, kQueue, 0.0044},
                                         FleetCase{10, kQueue, 0.044}));

}  // namespace
}  // namespace ballast::controllers
