// How long a whole evaluation takes, but for what it waits for: a session recalls, gathers,
// decides, concludes, records and reports. A policy with ten pods at about their target, whose
// usage is random from a fixed seed, and a ledger whose backend is in memory.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "operator/engine/testing/test_snapshot.h"
#include "operator/session/session.h"
#include "operator/session/testing/fake_ports.h"
#include "operator/session/testing/in_memory_ledger.h"
#include "tests/support/fake_clock.h"

namespace ballast::bench {
namespace {

constexpr int kPods = 10;

class Pods final : public session::SnapshotSource {
 public:
  explicit Pods(const session::FakeScalePort& scales) : scales_(scales) {
    for (int i = 0; i < kPods; ++i) {
      pods_.push_back(engine::testing::MakePod("pod-" + std::to_string(i)));
    }
  }

  void Sample(Time now) {
    std::vector<std::string> usage;
    for (int i = 0; i < kPods; ++i) {
      usage.push_back(std::to_string(45 + random_() % 11) + "m");
    }
    samples_ = engine::testing::CpuOf(usage, now);
  }

  void Start(const session::FetchMetrics& request, Done done) override { done({request, nullptr}); }
  session::TargetPointer TargetOf(const session::MetricsAnswer& /*answer*/) override {
    return std::make_shared<const session::SeenTarget>(scales_.Seen());
  }
  session::Gathered Gather(const session::MetricsAnswer& /*answer*/,
                           const session::SeenTarget& target, engine::Snapshot& snapshot) override {
    snapshot.scale = *target.scale;
    snapshot.pods = pods_;
    snapshot.metrics = {samples_};
    return {.asked = {{}}};
  }

 private:
  const session::FakeScalePort& scales_;
  std::mt19937 random_{20260304};
  engine::PodList pods_;
  engine::PodMetricsList samples_;
};

void EvaluateWhole(benchmark::State& state) {
  support::FakeClock clock;
  clock.SetWall(std::chrono::nanoseconds((engine::testing::kNow - clock.Now()).nanoseconds));
  session::FakeScalePort scales(clock);
  session::FakeAutoscalerPort autoscalers;
  session::InMemoryLedger ledger;
  Pods pods(scales);
  const session::SessionOptions options;
  const session::Ports ports{clock, pods, scales, autoscalers, ledger, [](auto&, auto&) {}};
  autoscalers.object = engine::testing::MakePolicy(kPods).autoscaler;
  autoscalers.object.metadata.resource_version = "3";
  autoscalers.object.spec.metrics = {engine::testing::CpuMetric()};
  scales.Set(kPods, "");
  session::Session session(ports, options, autoscalers.object);
  for (auto _ : state) {
    clock.Advance(std::chrono::seconds(15));
    pods.Sample(clock.Now());
    const auto policy = std::make_shared<const api::Autoscaler>(autoscalers.object);
    session::Progress progress = session.Evaluate(policy, {});
    while (const auto* request = std::get_if<session::Request>(&progress)) {
      progress = session.Resume(autoscalers.Write(std::get<session::WriteStatus>(*request)));
    }
  }
}
BENCHMARK(EvaluateWhole);

}  // namespace
}  // namespace ballast::bench
