// A policy with ten pods at about their target, whose usage is random from a fixed seed, so that
// nothing changes; its session, and a ledger whose backend is in memory. Evaluations wait for
// nothing.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
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

class QuietPolicy final : session::SnapshotSource {
 public:
  explicit QuietPolicy(const std::vector<api::Schedule>& schedules = {}) {
    clock_.SetWall(std::chrono::nanoseconds((engine::testing::kNow - clock_.Now()).nanoseconds));
    for (int i = 0; i < kPods; ++i) {
      pods_.push_back(engine::testing::MakePod("pod-" + std::to_string(i)));
    }
    scales_.Set(kPods, "");
    api::Autoscaler& policy = autoscalers_.object;
    policy = engine::testing::MakePolicy(kPods).autoscaler;
    policy.metadata.resource_version = "3";
    policy.spec.metrics = {engine::testing::CpuMetric()};
    policy.spec.schedules = schedules;
    session_.emplace(ports_, options_, policy);
  }

  // Once, 15 s after the last time.
  void Evaluate() {
    clock_.Advance(std::chrono::seconds(15));
    std::vector<std::string> usage;
    for (int i = 0; i < kPods; ++i) {
      usage.push_back(std::to_string(45 + random_() % 11) + "m");
    }
    samples_ = engine::testing::CpuOf(usage, clock_.Now());
    const auto policy = std::make_shared<const api::Autoscaler>(autoscalers_.object);
    session::Progress progress = session_->Evaluate(policy, {});
    while (const auto* request = std::get_if<session::Request>(&progress)) {
      const auto* fetch = std::get_if<session::FetchMetrics>(request);
      progress =
          fetch != nullptr
              ? session_->Evaluate(policy, {.request = *fetch, .stored = autoscalers_.Read()})
              : session_->Resume(autoscalers_.Write(std::get<session::WriteStatus>(*request)));
    }
  }

 private:
  static constexpr int kPods = 10;

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

  std::mt19937 random_{20260304};
  engine::PodList pods_;
  engine::PodMetricsList samples_;
  support::FakeClock clock_;
  session::FakeScalePort scales_{clock_};
  session::FakeAutoscalerPort autoscalers_;
  session::InMemoryLedger ledger_;
  const session::SessionOptions options_;
  const session::Ports ports_{clock_, *this, scales_, autoscalers_, ledger_, [](auto&, auto&) {}};
  std::optional<session::Session> session_;
};

}  // namespace ballast::bench
