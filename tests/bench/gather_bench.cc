// What it costs to gather for one policy among others in its namespace, each with a target of its
// own and all with one common label: it must not grow with their number, and little with that of
// its overrides that have ended.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <thread>

#include "operator/controllers/gather.h"
#include "operator/controllers/testing/await_answer.h"
#include "operator/kube/discovery.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"

namespace ballast::bench {
namespace {

constexpr int kPodsOfOne = 10;

std::string Object(const std::string& name, const std::string& labels, const std::string& rest) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":")" + name +
         R"(","resourceVersion":"3","labels":{)" + labels + "}}," + rest + "}";
}

std::string Labels(const std::string& app) { return R"("app":")" + app + R"(","team":"shop")"; }

// Serves policies app-0, app-1, ... with their Deployments, and the pods and ended overrides of the
// first.
Result<kube::Response> Answer(const kube::Request& request, int policies, int ended) {
  if (const auto discovered = support::DiscoverApps(request.path)) {
    return *discovered;
  }
  std::string items;
  const auto add = [&items](const std::string& item) {
    items += (items.empty() ? "" : ",") + item;
  };
  for (int i = 0; i < policies; ++i) {
    const std::string app = "app-" + std::to_string(i);
    if (request.path.ends_with("/autoscalepolicies")) {
      add(Object(
          app, "",
          R"("spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":")" + app +
              R"("},"maxReplicas":9})"));
    } else if (request.path.ends_with("/deployments")) {
      add(Object(app, "",
                 R"("spec":{"replicas":2,"selector":{"matchLabels":{)" + Labels(app) +
                     R"(}}},"status":{"replicas":2})"));
    }
  }
  for (int i = 0; i < ended && request.path.ends_with("/autoscaleoverrides"); ++i) {
    add(Object("ended-" + std::to_string(i), "",
               R"("spec":{"target":{"kind":"AutoScalePolicy","name":"app-0"},"reason":"sale",)"
               R"("until":"2026-03-04T12:00:00Z","floor":3})"));
  }
  for (int i = 0; i < kPodsOfOne && request.path.ends_with("/pods"); ++i) {
    add(Object("app-0-" + std::to_string(i), Labels("app-0"), R"("spec":{},"status":{})"));
  }
  return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}"};
}

void GatherAmong(benchmark::State& state) {
  const int policies = static_cast<int>(state.range(0));
  const int ended = static_cast<int>(state.range(1));
  process::SystemClock clock;
  support::FakeTransport transport(
      [=](const kube::Request& request) { return Answer(request, policies, ended); },
      support::SilentStream);
  kube::Client client(transport);
  kube::RestMapper mapper(transport);
  cluster::Watches watches(transport, clock, {});
  cluster::ScaleTargets targets(transport, client, mapper, clock, {}, Duration::Seconds(120));
  sources::Sources sources(client, transport, mapper, clock);
  cluster::PodOwners owners(client, mapper, clock);
  controllers::Gatherer gatherer(watches, targets, owners, sources, clock, {});
  watches.Start();
  constexpr std::chrono::minutes kPatience{1};
  const api::CrossVersionObjectReference kind{"apps/v1", "Deployment", ""};
  if (!watches.policies.WaitForSync(kPatience) || !watches.pods.WaitForSync(kPatience) ||
      !watches.overrides.WaitForSync(kPatience)) {
    state.SkipWithError("the watches have no list");
    return;
  }
  targets.StartWatching(kind);
  while (targets.MaySelect(kind, "shop", {"app=app-0", "team=shop"}).empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const auto policy = watches.policies.Get({"shop", "app-0"});
  const session::MetricsAnswer answer =
      controllers::Read(gatherer, {policy, Duration::Seconds(15)});
  std::size_t rivals = 0;
  for (auto _ : state) {
    engine::Snapshot snapshot{.now = clock.Now(), .autoscaler = *policy};
    (void)gatherer.Gather(answer, *gatherer.TargetOf(answer), snapshot);
    rivals += snapshot.rivals.size();
  }
  state.counters["rivals"] = static_cast<double>(rivals);
}
BENCHMARK(GatherAmong)
    ->ArgNames({"policies", "ended"})
    ->Args({10, 0})
    ->Args({1'000, 0})
    ->Args({10'000, 0})
    ->Args({10, 1'000})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ballast::bench
