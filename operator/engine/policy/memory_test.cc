// However often and irregularly a policy is evaluated, its memory stays small, and what is dropped
// never changes a decision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>

#include "operator/engine/memory/remember.h"
#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

struct Spacing {
  const char* name;
  std::int64_t shortest;  // milliseconds between evaluations
  std::int64_t longest;
  int interrupted;  // one evaluation in so many; 0: none
};

Snapshot RatesAndWindows() {
  Snapshot snapshot = testing::MakePolicy(10);
  auto& behavior = snapshot.autoscaler.spec.behavior.emplace();
  behavior.scale_up = api::ScalingRules{60, "Max", {{{"Pods", 4, 60}, {"Percent", 50, 15}}}, {}};
  behavior.scale_down = api::ScalingRules{300, "Max", {{{"Pods", 1, 30}}}, {}};
  return snapshot;
}

Outcome Done(const Decision& decision) {
  return {decision.rescale ? Outcome::Kind::kWritten : Outcome::Kind::kNotAttempted, ""};
}

TEST(PolicyMemory, StaysBoundedHoweverItIsEvaluated) {
  const Spacing kCases[] = {{"on time", 15'000, 15'000, 0},
                            {"always late", 31'000, 40'000, 0},
                            {"all the time", 1, 500, 0},
                            {"anyhow", 1, 90'000, 3},
                            {"always interrupted", 31'000, 31'000, 1}};
  for (const Spacing& c : kCases) {
    std::mt19937_64 random(7);
    const auto between = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    Snapshot snapshot = RatesAndWindows();
    std::size_t most = 0;
    for (int i = 0; i < 5'000; ++i) {
      snapshot.now = snapshot.now + Duration::Milliseconds(between(c.shortest, c.longest));
      snapshot.metrics = {testing::QueueOf(std::to_string(between(0, 200)), snapshot.now)};
      snapshot.interrupted = c.interrupted != 0 && between(1, c.interrupted) == 1;
      const Decision decision = Decide(snapshot, Tracing::kOff);
      const Conclusion conclusion = Conclude(snapshot, decision, Done(decision));
      snapshot.memory = conclusion.memory;
      std::get<api::Scale>(snapshot.scale).spec_replicas = decision.target_replicas;
      snapshot.autoscaler.status = conclusion.status;
      most = std::max({most, conclusion.memory.recommendations.size(),
                       conclusion.memory.scale_ups.size(), conclusion.memory.scale_downs.size()});
    }
    EXPECT_LE(most, 25u) << c.name;  // recommendations are from 0 to 20
  }
}

// Evaluates a policy twice, once with a memory from which nothing is dropped.
TEST(PolicyMemory, WhatIsDroppedChangesNoDecision) {
  std::mt19937_64 random(11);
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  Snapshot snapshot = RatesAndWindows();
  Memory everything = *snapshot.memory;
  for (int i = 0; i < 3'000; ++i) {
    snapshot.now = snapshot.now + Duration::Milliseconds(between(1, 40'000));
    snapshot.metrics = {testing::QueueOf(std::to_string(between(0, 200)), snapshot.now)};
    snapshot.interrupted = between(1, 20) == 1;
    const Decision decision = Decide(snapshot, Tracing::kOff);
    Snapshot twin = snapshot;
    twin.memory = everything;
    const Decision other = Decide(twin, Tracing::kOff);
    ASSERT_EQ(other.target_replicas, decision.target_replicas) << i;
    everything = other.memory;
    CountAttempt(everything, twin, other, Done(other));
    snapshot.memory = Conclude(snapshot, decision, Done(decision)).memory;
    std::get<api::Scale>(snapshot.scale).spec_replicas = decision.target_replicas;
  }
}

}  // namespace
}  // namespace ballast::engine
