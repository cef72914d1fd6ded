// Checks properties in each step of many lives. A life is hundreds of evaluations of an autoscaler
// with random spec, load, pods, failures and clock. A failure prints the seed; BALLAST_TEST_SEED
// runs only that one, BALLAST_TEST_LONG many more.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "api/decision/snapshot_json.h"
#include "api/json/json_writer.h"
#include "operator/engine/memory/memory_prune.h"
#include "operator/engine/metric/sample_age.h"
#include "operator/engine/metric/samples.h"
#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  // Both ends are included.
  std::int32_t Between(std::int32_t low, std::int32_t high) {
    return std::uniform_int_distribution<std::int32_t>(low, high)(engine_);
  }
  bool Chance(std::int32_t percent) { return Between(1, 100) <= percent; }

 private:
  std::mt19937 engine_;
};

api::ScalingRules RandomRules(Random& random) {
  api::ScalingRules rules;
  if (random.Chance(70)) {
    rules.stabilization_window_seconds = random.Between(0, 10) * 30;
  }
  const char* kSelect[] = {"Max", "Min", "Disabled", "Max"};
  rules.select_policy = kSelect[random.Between(0, 3)];
  rules.policies.emplace();
  for (std::int32_t i = random.Between(1, 3); i > 0; --i) {
    const bool pods = random.Chance(50);
    rules.policies->push_back(
        {pods ? "Pods" : "Percent", random.Between(1, pods ? 5 : 150), random.Between(1, 20) * 15});
  }
  return rules;
}

// A workload and its autoscaler, as the engine sees them.
class Life {
 public:
  Life(unsigned seed, const char* kind) : random_(seed), snapshot_(testing::MakeSnapshot(kind, 3)) {
    auto& spec = snapshot_.autoscaler.spec;
    spec.min_replicas = random_.Between(0, 4);
    spec.max_replicas = random_.Between(4, 40);
    if (random_.Chance(70)) {
      spec.behavior = api::Behavior{RandomRules(random_), RandomRules(random_)};
    }
    spec.metrics = {testing::QueueMetric()};
    if (random_.Chance(50)) {
      spec.metrics.push_back(testing::CpuMetric());
    }
    if (random_.Chance(20)) {
      spec.metrics[0] = testing::QueueValueMetric();
    }
    snapshot_.memory.reset();
    load_ = random_.Between(0, 300);
  }

  // Lets time pass and the workload change; returns the next snapshot.
  const Snapshot& Next() {
    snapshot_.interrupted = random_.Chance(3);
    snapshot_.now = snapshot_.now + Duration::Seconds(random_.Chance(3) ? random_.Between(1, 900)
                                                                        : random_.Between(14, 16));
    load_ = std::max(0, load_ + random_.Between(-30, 30));
    if (random_.Chance(5)) {
      load_ = random_.Between(0, 500);
    }
    if (random_.Chance(2)) {
      replicas_ = random_.Between(0, 50);  // somebody scales by hand
    }
    api::Scale scale = std::get<api::Scale>(snapshot_.scale);
    scale.spec_replicas = replicas_;
    scale.status_replicas = replicas_;
    snapshot_.scale = scale;
    FillPods();
    FillMetrics();
    return snapshot_;
  }

  // Writes the scale, which may fail, and returns the outcome.
  Outcome Act(const Decision& decision) {
    if (!decision.rescale) {
      return {Outcome::Kind::kNotAttempted, ""};
    }
    if (random_.Chance(5)) {
      return {Outcome::Kind::kFailed, "forbidden"};
    }
    if (random_.Chance(3)) {
      return {Outcome::Kind::kUnknown, "time-out"};
    }
    replicas_ = decision.target_replicas;
    return {Outcome::Kind::kWritten, ""};
  }

  void Remember(const Conclusion& conclusion) {
    snapshot_.autoscaler.status = conclusion.status;
    snapshot_.memory = conclusion.memory;
    snapshot_.last_evaluation = snapshot_.now;
  }

  // Sets a memory such as a damaged row of a store may hold.
  void RememberNonsense() {
    const auto number = [this] {
      const std::int32_t numbers[] = {
          std::numeric_limits<std::int32_t>::min(), -1, 0, 7, 1'000'000'000,
          std::numeric_limits<std::int32_t>::max()};
      return numbers[random_.Between(0, 5)];
    };
    const auto moment = [this] {
      return snapshot_.now + Duration::Seconds(random_.Between(-400, 60));
    };
    snapshot_.memory.emplace();
    for (std::int32_t i = random_.Between(0, 4); i > 0; --i) {
      snapshot_.memory->recommendations.push_back({moment(), number()});
      snapshot_.memory->scale_ups.push_back({moment(), number()});
      snapshot_.memory->scale_downs.push_back({moment(), number()});
    }
  }

  std::int32_t load() const { return load_; }

 private:
  void FillPods() {
    PodList pods;
    for (std::int32_t i = 0; i < replicas_; ++i) {
      pods.push_back(testing::MakePod("pod-" + std::to_string(i)));
    }
    snapshot_.pods = pods;
  }

  void FillMetrics() {
    const Time sampled =
        snapshot_.now - Duration::Seconds(random_.Chance(4)   ? random_.Between(290, 900)
                                          : random_.Chance(3) ? random_.Between(-900, 1)
                                                              : random_.Between(1, 20));
    const std::int32_t milli = load_ * 20 / std::max(1, replicas_);
    snapshot_.metrics = {
        testing::QueueOf(std::to_string(load_), sampled),
        testing::CpuOf(std::vector<std::string>(static_cast<std::size_t>(replicas_),
                                                std::to_string(milli) + "m"),
                       sampled)};
    for (MetricAnswer& answer : snapshot_.metrics) {
      if (random_.Chance(4)) {
        answer = Failure{"no such metric"};
      }
    }
  }

  Random random_;
  Snapshot snapshot_;
  std::int32_t replicas_ = 3;
  std::int32_t load_ = 0;
};

std::string Text(const auto& value) {
  json::Writer writer;
  Encode(writer, value);
  return writer.Take();
}

bool IsDisabled(const std::optional<api::Behavior>& behavior,
                Boxed<api::ScalingRules> api::Behavior::*side) {
  return behavior && ((*behavior).*side)->select_policy == "Disabled";
}

void CheckBounds(const Snapshot& snapshot, const Decision& decision) {
  const auto& spec = snapshot.autoscaler.spec;
  if (decision.rescale) {
    EXPECT_GE(decision.target_replicas, *spec.min_replicas);
    EXPECT_LE(decision.target_replicas, spec.max_replicas);
  }
}

void CheckDisabledDirections(const Snapshot& snapshot, const Decision& decision) {
  const auto& spec = snapshot.autoscaler.spec;
  const bool corrects_bounds = decision.current_replicas > spec.max_replicas ||
                               decision.current_replicas < *spec.min_replicas;
  if (!decision.rescale || corrects_bounds) {
    return;
  }
  if (IsDisabled(spec.behavior, &api::Behavior::scale_up)) {
    EXPECT_LE(decision.target_replicas, decision.current_replicas);
  }
  if (IsDisabled(spec.behavior, &api::Behavior::scale_down)) {
    EXPECT_GE(decision.target_replicas, decision.current_replicas);
  }
}

// Policies only. Except from above the maximum, which is enforced whatever the metrics say.
void CheckFailuresNeverScaleIn(const Snapshot& snapshot, const Decision& decision) {
  const auto& spec = snapshot.autoscaler.spec;
  bool failed = false;
  for (std::size_t i = 0; i < spec.metrics.size(); ++i) {
    const auto newest = NewestTimestamp(snapshot.metrics[i]);
    failed = failed || std::holds_alternative<Failure>(snapshot.metrics[i]) ||
             (newest && snapshot.now - *newest > snapshot.settings.stale_after) ||
             (newest && *newest - snapshot.now > kClocksDiffer);
  }
  if (snapshot.autoscaler.is_policy() && failed && decision.current_replicas <= spec.max_replicas) {
    EXPECT_GE(decision.target_replicas, decision.current_replicas);
  }
}

// A higher load never leads to fewer replicas.
void CheckMonotonic(const Snapshot& snapshot, const Decision& decision) {
  Snapshot busier = snapshot;
  for (MetricAnswer& answer : busier.metrics) {
    if (auto* values = std::get_if<MetricValueList>(&answer)) {
      values->front().value = Quantity::FromMilli(values->front().value.MilliValue() + 25'000);
    }
    if (auto* pods = std::get_if<PodMetricsList>(&answer)) {
      for (auto& shared : *pods) {
        auto pod = std::make_shared<api::PodMetrics>(*shared);
        auto& cpu = pod->containers[0].usage["cpu"];
        cpu = Quantity::FromMilli(cpu.MilliValue() + 40);
        shared = pod;
      }
    }
  }
  EXPECT_GE(Decide(busier, Tracing::kOff).target_replicas, decision.target_replicas);
}

// With a pruned memory decisions are the same.
void CheckPrunedMemory(const Snapshot& snapshot, const Conclusion& conclusion,
                       const Outcome& outcome, Memory& pruned) {
  Snapshot other = snapshot;
  other.memory = pruned;
  const Conclusion twin = Conclude(other, Decide(other, Tracing::kOff), outcome);
  EXPECT_EQ(twin.rescale, conclusion.rescale);
  EXPECT_EQ(Text(twin.status), Text(conclusion.status));
  pruned = twin.memory;
  PruneMemory(snapshot.autoscaler.spec, snapshot.settings, snapshot.now, pruned);
}

void Live(unsigned seed, const char* kind) {
  SCOPED_TRACE(std::string(kind) + ", seed " + std::to_string(seed));
  Life life(seed, kind);
  Memory pruned;
  for (int step = 0; step < 300 && !::testing::Test::HasFailure(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    const Snapshot& snapshot = life.Next();
    const auto again = ParseSnapshot(Text(snapshot));
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(Text(*again), Text(snapshot));
    EXPECT_EQ(again->memory, snapshot.memory);

    const Decision decision = Decide(snapshot, Tracing::kOff);
    EXPECT_EQ(Decide(*again, Tracing::kOff).target_replicas, decision.target_replicas);
    CheckBounds(snapshot, decision);
    CheckDisabledDirections(snapshot, decision);
    CheckFailuresNeverScaleIn(snapshot, decision);
    CheckMonotonic(snapshot, decision);
    const Outcome outcome = life.Act(decision);
    const Conclusion conclusion = Conclude(snapshot, decision, outcome);
    CheckPrunedMemory(snapshot, conclusion, outcome, pruned);
    life.Remember(conclusion);
  }
}

TEST(Lives, KeepTheirPromises) {
  if (const char* seed = std::getenv("BALLAST_TEST_SEED")) {
    Live(static_cast<unsigned>(std::stoul(seed)), api::kHpaKind);
    Live(static_cast<unsigned>(std::stoul(seed)), api::kPolicyKind);
    return;
  }
  const unsigned lives = std::getenv("BALLAST_TEST_LONG") != nullptr ? 2'000 : 6;
  for (unsigned seed = 1; seed <= lives && !HasFailure(); ++seed) {
    Live(seed, api::kHpaKind);
    Live(seed, api::kPolicyKind);
  }
}

// Policies only: an HPA's counts wrap around as upstream's.
TEST(Lives, ADamagedMemoryNeverLeadsOutOfTheBounds) {
  for (unsigned seed = 1; seed <= 100 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Life life(seed, api::kPolicyKind);
    for (int step = 0; step < 30; ++step) {
      life.RememberNonsense();
      const Snapshot& snapshot = life.Next();
      const Decision decision = Decide(snapshot, Tracing::kOff);
      CheckBounds(snapshot, decision);
      Conclude(snapshot, decision, life.Act(decision));
    }
  }
}

}  // namespace
}  // namespace ballast::engine
