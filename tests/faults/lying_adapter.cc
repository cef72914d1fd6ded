// Shows that an adapter that lies delays nobody but those who ask for its lies: the controller with
// its threads, in virtual time, 500 healthy policies of ten namespaces and ten in another one, each
// of which has a metric that is answered in a way of its own: late, not at all, cut off, with far
// too much, with pages that never end, with garbage, with 404, 429 or 500, or with another kind. In
// another namespace 40 policies have metrics that are never answered, and the four of each of ten
// more are answered no longer after a while.
//
// Prints what each had. Exit status 1: a healthy policy was evaluated late, or without its metric.
// When those ten namespaces begin to hang together, it may be a period late.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "operator/controllers/cluster_ports.h"
#include "operator/controllers/controller.h"
#include "operator/controllers/gather.h"
#include "operator/kube/discovery.h"
#include "operator/kube/status_error.h"
#include "operator/process/log.h"
#include "store/in_memory/in_memory_backend.h"
#include "store/ledger.h"
#include "tests/faults/fibers.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"
#include "tests/support/fleet_json.h"

namespace ballast::faults {
namespace {

constexpr int kHealthy = 500;
constexpr int kNamespaces = 10;
constexpr Nanoseconds kAnswered = 20 * kMillisecond;  // how long an honest answer takes
constexpr Nanoseconds kLate = 9 * kSecond;            // less than a request may take
constexpr Nanoseconds kPeriod = 15 * kSecond;
constexpr Nanoseconds kMostLate = kSecond;
constexpr Nanoseconds kLength = 300 * kSecond;
constexpr const char* kLiar = "liar";  // the namespace
constexpr const char* kEndless = "endless";
constexpr const char* kHung = "hung";  // what the namespaces' names begin with, and the policies'
constexpr int kHungAtOnce = 40;        // policies of the first of them
constexpr int kHungLater = 10;         // namespaces
constexpr int kOfEach = 4;             // policies of these
constexpr Nanoseconds kHangsFrom = 100 * kSecond;
constexpr Nanoseconds kKnownAfter = 30 * kSecond;  // they are, to hang
constexpr const char* kLies[] = {"late",    "hangs", "cut", "huge", kEndless,
                                 "garbage", "404",   "429", "500",  "kind"};

struct Policy {
  std::string namespace_;
  std::string name;
  std::string metric;
};

std::string External(const std::string& name) {
  return R"({"type":"External","external":{"metric":{"name":")" + name +
         R"("},"target":{"type":"AverageValue","averageValue":"10"}}})";
}

// Half of the healthy ones have a metric of their own, of the adapter that lies to others.
std::vector<Policy> Policies() {
  std::vector<Policy> all;
  for (int i = 0; i < kHealthy; ++i) {
    const std::string name = "web-" + std::to_string(i);
    all.push_back({"shop-" + std::to_string(i % kNamespaces), name,
                   i / kNamespaces % 2 == 0 ? support::kFleetCpu : External(name)});
  }
  for (const std::string lie : kLies) {
    all.push_back({kLiar, lie, lie == kEndless ? support::kFleetCpu : External(lie)});
  }
  const auto add_hung = [&all](const std::string& namespace_, int count) {
    for (int i = 0; i < count; ++i) {
      const std::string name = namespace_ + "-" + std::to_string(i);
      all.push_back({namespace_, name, External(name)});
    }
  };
  add_hung(kHung, kHungAtOnce);
  for (int i = 0; i < kHungLater; ++i) {
    add_hung(kHung + std::string("-later-") + std::to_string(i), kOfEach);
  }
  return all;
}

std::string PolicyJson(const Policy& policy) {
  return support::FleetPolicy(policy.namespace_, policy.name, policy.metric);
}

std::string DeploymentJson(const Policy& policy) {
  return support::FleetDeployment(policy.namespace_, policy.name, 1);
}

std::string PodName(const Policy& policy) { return policy.name + "-0"; }

std::string PodJson(const Policy& policy) {
  return support::FleetPod(policy.namespace_, policy.name, PodName(policy));
}

class Server {
 public:
  explicit Server(const process::Clock& clock) : clock_(clock) {}

  Result<kube::Response> Do(const kube::Request& request) {
    if (const auto discovered = support::DiscoverApps(request.path)) {
      return *discovered;
    }
    if (request.method == kube::Method::kPatch) {
      return kube::Response{200, R"({"metadata":{"resourceVersion":"9"}})"};
    }
    if (request.path.starts_with("/apis/external.metrics.k8s.io/")) {
      const std::string name = request.path.substr(request.path.rfind('/') + 1);
      if (name.starts_with(kHung)) {
        return name.find("later") == std::string::npos || Fibers::Get().now() - began_ > kHangsFrom
                   ? Lie("hangs", request)
                   : Honest();
      }
      return request.path.find(std::string("/") + kLiar + "/") == std::string::npos
                 ? Honest()
                 : Lie(name, request);
    }
    if (request.path.starts_with("/apis/metrics.k8s.io/")) {
      return PodMetrics(request);
    }
    if (request.path.ends_with("/autoscalepolicies")) {
      return List(PolicyJson);
    }
    if (request.path.ends_with("/deployments")) {
      return List(DeploymentJson);
    }
    if (request.path == "/api/v1/pods") {
      return List(PodJson);
    }
    if (request.path.ends_with("/scale")) {
      return Scale(request.path);
    }
    return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[]})"};
  }

 private:
  static void Take(Nanoseconds time) { Fibers::Get().SleepUntil(Fibers::Get().now() + time); }

  std::string Value() const {
    return R"({"value":"10","timestamp":")" + Print(clock_.Now()) + R"("})";
  }
  kube::Response Honest() const {
    Take(kAnswered);
    return {200, R"({"items":[)" + Value() + "]}"};
  }
  static Error Refuse(int status) { return kube::ErrorFromAnswer(status, "{}"); }

  Result<kube::Response> Lie(const std::string& how, const kube::Request& request) const {
    if (how == "late") {
      Take(kLate);
    } else if (how == "hangs") {
      Take(request.timeout.count() * kMillisecond);
      return Error{.code = Code::kTimeout, .message = "no answer", .unanswered = true};
    } else if (how == "cut") {
      return kube::Response{200, R"({"items":[)" + Value()};
    } else if (how == "huge") {
      std::string items;
      for (int i = 0; i < 50'000; ++i) {
        items += Value() + ",";
      }
      return kube::Response{200, R"({"items":[)" + items + Value() + "]}"};
    } else if (how == "garbage") {
      return kube::Response{200, "<html>who are you?</html>"};
    } else if (how == "404" || how == "500") {
      return Refuse(std::stoi(how));
    } else if (how == "429") {
      Error refused = Refuse(429);
      refused.retry_after = std::chrono::minutes(1);
      return refused;
    } else if (how == "kind") {
      return kube::Response{200, R"({"kind":"Pod","metadata":{"name":"a"},"items":"none"})"};
    }
    return Honest();
  }

  Result<kube::Response> PodMetrics(const kube::Request& request) const {
    Take(kAnswered);
    const bool endless = request.path.find(std::string("/") + kLiar + "/") != std::string::npos;
    std::string items;
    for (const Policy& policy : policies_) {
      if (request.path.find("/" + policy.namespace_ + "/") != std::string::npos) {
        items += (items.empty() ? "" : ",") +
                 support::FleetMetadata(policy.namespace_, policy.name, PodName(policy)) +
                 R"("timestamp":")" + Print(clock_.Now()) +
                 R"(","window":"15s","containers":[{"name":"c","usage":{"cpu":"50m"}}]})";
      }
    }
    return kube::Response{200, R"({"metadata":{"continue":")" +
                                   std::string(endless ? "again" : "") + R"("},"items":[)" + items +
                                   "]}"};
  }

  // Of a target that is not watched yet.
  kube::Response Scale(const std::string& path) const {
    const auto found = std::ranges::find_if(policies_, [&](const Policy& policy) {
      return path.ends_with("/" + policy.name + "/scale");
    });
    return {200, support::FleetMetadata(found->namespace_, found->name, found->name) +
                     R"("spec":{"replicas":1},"status":{"replicas":1,"selector":"app=)" +
                     found->name + R"("}})"};
  }

  kube::Response List(const std::function<std::string(const Policy&)>& json) const {
    std::string items;
    for (const Policy& policy : policies_) {
      items += (items.empty() ? "" : ",") + json(policy);
    }
    return {200, R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}"};
  }

  const process::Clock& clock_;
  const Nanoseconds began_ = Fibers::Get().now();
  const std::vector<Policy> policies_ = Policies();
};

// What is seen of a policy's evaluations.
struct Seen {
  int count = 0;
  Nanoseconds last = 0;
  Nanoseconds longest = 0;         // between two of them
  Nanoseconds longest_of_all = 0;  // also while ten namespaces begin to hang
  int failed = 0;                  // without a value
  std::string why;
};

class Watching final : public session::SourceDecorator {
 public:
  using SourceDecorator::SourceDecorator;

  session::Gathered Gather(const session::MetricsAnswer& answer, const session::SeenTarget& target,
                           engine::Snapshot& snapshot) override {
    session::Gathered gathered = SourceDecorator::Gather(answer, target, snapshot);
    Seen& seen = seen_[snapshot.autoscaler.metadata.name];
    const Nanoseconds at = Fibers::Get().now();
    if (++seen.count > 1) {
      const bool begin_to_hang = at - began_ > kHangsFrom && at - began_ < kHangsFrom + kKnownAfter;
      seen.longest_of_all = std::max(seen.longest_of_all, at - seen.last);
      seen.longest = std::max(seen.longest, begin_to_hang ? 0 : at - seen.last);
    }
    seen.last = at;
    for (const auto& metric : snapshot.metrics) {
      if (const auto* failure = std::get_if<engine::Failure>(&metric)) {
        ++seen.failed;
        seen.why = failure->message;
      }
    }
    return gathered;
  }

  const std::map<std::string, Seen>& seen() const { return seen_; }

 private:
  const Nanoseconds began_ = Fibers::Get().now();
  std::map<std::string, Seen> seen_;  // fibers share one thread
};

// All that takes part.
struct Program {
  process::SystemClock clock;
  Server server{clock};
  support::FakeTransport transport{
      [this](const kube::Request& request) { return server.Do(request); }, support::SilentStream};
  kube::Client client{transport};
  kube::RestMapper mapper{transport};
  std::unique_ptr<store::Ledger> ledger =
      store::MakeLedger(std::make_unique<store::InMemoryBackend>(), {});
  // The watches are silent, which this is not about.
  const engine::Settings settings{.max_view_age = Duration::Seconds(1'000'000)};
  cluster::Watches watches{transport, clock, {}};
  cluster::ScaleTargets targets{transport, client, mapper, clock, {}, settings.max_view_age};
  sources::Sources sources{client, transport, mapper, clock, {.cluster = false}};
  cluster::PodOwners owners{client, mapper, clock};
  controllers::Gatherer gatherer{watches, targets, owners, sources, clock, settings};
  Watching watching{gatherer};
  runtime::EventRecorder events{transport, clock};
  controllers::ClusterPorts ports{watches, client, targets, watching, events, clock};
  controllers::Reconcilers reconcilers{
      watches, ports.With(*ledger), {.sessions = {.max_view_age = settings.max_view_age}}};
  controllers::Controller controller{watches, targets, reconcilers, clock, 5};

  void Run() {
    (void)ledger->Start({});
    watches.Start();
    constexpr std::chrono::minutes kPatience{1};
    if (watches.policies.WaitForSync(kPatience) && watches.hpas.WaitForSync(kPatience) &&
        watches.overrides.WaitForSync(kPatience) && watches.pods.WaitForSync(kPatience)) {
      controller.Start();
    }
  }
};

bool Tell(const std::map<std::string, Seen>& seen) {
  const auto is_lie = [](const std::string& name) {
    return std::ranges::find(kLies, name) != std::ranges::end(kLies);
  };
  int late = 0;
  int failed = 0;
  int evaluated = 0;
  int hung = 0;
  Nanoseconds longest = 0;
  Nanoseconds longest_of_all = 0;
  for (const auto& [name, what] : seen) {
    if (name.starts_with(kHung)) {
      hung += what.failed > 0 ? 1 : 0;
      continue;
    }
    if (is_lie(name)) {
      std::printf("%-8s %3d evaluations, at most %.1f s apart, %d without a value: %s\n",
                  name.c_str(), what.count, static_cast<double>(what.longest) / kSecond,
                  what.failed, what.why.c_str());
      continue;
    }
    ++evaluated;
    longest = std::max(longest, what.longest);
    longest_of_all = std::max(longest_of_all, what.longest_of_all);
    late += what.longest > kPeriod + kMostLate || what.longest_of_all > 2 * kPeriod ||
                    what.count < kLength / kPeriod - 2
                ? 1
                : 0;
    failed += what.failed > 0 ? 1 : 0;
  }
  std::printf("%d in namespaces whose requests hang, %d of them without values\n",
              kHungAtOnce + kHungLater * kOfEach, hung);
  std::printf(
      "%d others, at most %.3f s apart, %.3f s when ten namespaces began to hang: %d of "
      "them were late, %d lacked a value\n",
      evaluated, static_cast<double>(longest) / kSecond,
      static_cast<double>(longest_of_all) / kSecond, late, failed);
  return evaluated == kHealthy && late == 0 && failed == 0;
}

int Main() {
  log::SetLevel(log::Level::kError);
  Fibers& fibers = Fibers::Get();
  fibers.Seed(1);
  auto* const machine = new Machine;
  Program* program = nullptr;  // its fibers do not end
  fibers.Detach(fibers.Spawn("main", machine, [&program] {
    program = new Program;
    program->Run();
  }));
  fibers.Run(fibers.now() + kLength);
  return program != nullptr && Tell(program->watching.seen()) ? 0 : 1;
}

}  // namespace
}  // namespace ballast::faults

// Nothing is destroyed: the fibers still wait.
int main() {
  const int status = ballast::faults::Main();
  std::fflush(stdout);
  _exit(status);
}
