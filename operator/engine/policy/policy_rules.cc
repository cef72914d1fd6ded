#include "operator/engine/policy/policy_rules.h"

#include <algorithm>
#include <cmath>

#include "operator/engine/conditions.h"
#include "operator/engine/describe.h"
#include "operator/engine/go/arithmetic.h"
#include "operator/engine/metric/context.h"
#include "operator/engine/policy/policy_holds.h"
#include "operator/engine/policy/policy_memory.h"
#include "operator/engine/policy/policy_mode.h"
#include "operator/engine/policy/policy_samples.h"
#include "operator/engine/trace.h"

namespace ballast::engine {

bool PolicyRules::Paused(const Snapshot& snapshot) const {
  return api::ModeOf(snapshot.autoscaler.spec) == api::Mode::kDisabled;
}

Settings PolicyRules::SettingsFor(const Snapshot& snapshot) const {
  Settings settings = snapshot.settings;
  settings.scale_to_zero = true;
  settings.configurable_tolerance = true;
  if (const auto& readiness = snapshot.autoscaler.spec.readiness) {
    const auto apply = [](const std::optional<std::int32_t>& seconds, Duration& setting) {
      setting = seconds ? Duration::Seconds(*seconds) : setting;
    };
    apply(readiness->cpu_initialization_period_seconds, settings.cpu_initialization_period);
    apply(readiness->initial_readiness_delay_seconds, settings.initial_readiness_delay);
  }
  return settings;
}

Memory PolicyRules::Recall(const Snapshot& snapshot, std::int32_t current) const {
  return RecallPolicyMemory(snapshot, current);
}

std::optional<std::string> PolicyRules::Distrust(const Snapshot& snapshot,
                                                 const MetricAnswer& answer) const {
  return ExplainStaleness(answer, snapshot.now, snapshot.settings.stale_after);
}

// No ready pod is no sign of too many pods: never fewer than there are (upstream: k/k 130130).
std::int32_t PolicyRules::ProposeWithoutReadyPods(double ratio, std::int32_t current) const {
  const double replicas = std::ceil(ratio * static_cast<double>(current));
  return std::max(current, go::ToInt32(std::min(replicas, 2147483647.0)));
}

// Without pods there is no average; the whole says at least something (upstream: k/k 140956).
std::int64_t PolicyRules::UsagePerPodWithoutPods(std::int64_t usage) const { return usage; }

std::int32_t PolicyRules::Admit(const Context& context, std::size_t index, std::int32_t replicas,
                                Trace& trace) const {
  if (replicas <= context.current || !IsSampleUsed(context.snapshot, index, context.memory)) {
    return replicas;
  }
  trace.Add([&] { return DescribeUsedSample(context, index, replicas); });
  return context.current;
}

// Never below the present count, however large that is.
std::int32_t PolicyRules::DefaultScaleUpLimit(std::int32_t current) const {
  return std::max(current, Rules::DefaultScaleUpLimit(current));
}

// Never blank: upstream leaves the reason empty, or names the metrics, when it was the
// recommendations of the last minutes that moved the count.
std::string PolicyRules::RescaleReason(const Movement& movement) const {
  const auto toward = [&](std::int32_t count) {
    return (count > movement.current) - (count < movement.current);
  };
  const int direction = toward(movement.limited.replicas);
  if (direction == 0 || toward(movement.raw) == direction) {
    return Rules::RescaleReason(movement);
  }
  if (toward(movement.stabilized) == direction) {
    return direction > 0 ? "Recent recommendations were higher (scale-down stabilization)"
                         : "Recent recommendations were lower (scale-up stabilization)";
  }
  return std::string(movement.limited.reason) + ": " + std::string(movement.limited.message);
}

void PolicyRules::UseSamples(const Snapshot& snapshot, const Decision& decision,
                             Memory& memory) const {
  if (decision.target_replicas <= decision.current_replicas) {
    return;
  }
  for (std::size_t i = 0; i < decision.proposals.size(); ++i) {
    if (decision.proposals[i] > decision.current_replicas) {
      UseSample(snapshot, i, memory);
    }
  }
}

void PolicyRules::Finish(const Snapshot& snapshot, Decision& decision, Trace& trace) const {
  Conditions conditions(decision.status.conditions, snapshot.now);
  decision.status.observed_generation = snapshot.autoscaler.metadata.generation;
  const api::Mode mode = api::ModeOf(snapshot.autoscaler.spec);
  ApplyMode(mode, conditions, decision);
  if (mode == api::Mode::kActive) {
    ApplyHolds(snapshot, conditions, decision, trace);
  }
  if (Paused(snapshot)) {
    conditions.True(api::kReady, api::kModeDisabled,
                    "there is nothing to evaluate: spec.mode is Disabled");
  } else if (decision.problem) {
    conditions.False(api::kReady, decision.problem->reason, decision.problem->message);
  } else {
    conditions.True(api::kReady, "Evaluated", "the policy was evaluated without problems");
  }
}

void PolicyRules::Finish(const Snapshot& snapshot, const Decision&, const Outcome& outcome,
                         Conclusion& conclusion) const {
  if (outcome.kind == Outcome::Kind::kFailed || outcome.kind == Outcome::Kind::kUnknown) {
    Conditions(conclusion.status.conditions, snapshot.now)
        .False(api::kReady, "FailedUpdateScale",
               "the target's scale could not be written: " + outcome.message);
  }
  if (!Paused(snapshot)) {
    CompactPolicyMemory(snapshot, conclusion.memory);
  }
}

}  // namespace ballast::engine
