#include "operator/controllers/evaluation.h"

#include <string_view>
#include <variant>

#include "operator/controllers/readings.h"
#include "operator/engine/conditions.h"

namespace ballast::controllers {
namespace {

bool Is(const api::Condition* condition, const char* status) {
  return condition != nullptr && condition->status == status;
}

// The scale's replicas; if it cannot be read now, those in the status.
std::int32_t CurrentReplicas(const engine::Snapshot& snapshot) {
  const auto* scale = std::get_if<api::Scale>(&snapshot.scale);
  return scale != nullptr ? scale->spec_replicas : snapshot.autoscaler.status.current_replicas;
}

}  // namespace

const api::Condition* Explanation(const api::AutoscalerStatus& status) {
  const auto find = [&status](std::string_view type) {
    return engine::Find(status.conditions, type);
  };
  const api::Condition* able = find(api::kAbleToScale);
  const api::Condition* active = find(api::kScalingActive);
  const api::Condition* limited = find(api::kScalingLimited);
  const api::Condition* held = find(api::kHeld);
  if (Is(able, "False")) {
    return able;
  }
  if (Is(held, "True")) {
    return held;
  }
  if (Is(active, "False")) {
    return active;
  }
  if (Is(limited, "True")) {
    return limited;
  }
  return able;
}

store::Subject SubjectOf(const api::Autoscaler& policy) {
  return {policy.metadata.uid, policy.kind, policy.key()};
}

store::Evaluation Describe(const engine::Snapshot& snapshot, const engine::Decision& decision,
                           Duration period) {
  const api::Autoscaler& policy = snapshot.autoscaler;
  const std::int32_t current = CurrentReplicas(snapshot);
  store::Evaluation evaluation{.subject = SubjectOf(policy),
                               .time = snapshot.now,
                               .period = period,
                               .current_replicas = current,
                               .desired_replicas = decision.dry_run_replicas.value_or(
                                   decision.rescale ? decision.target_replicas : current),
                               .dry_run = decision.dry_run_replicas.has_value(),
                               .clock_jumped = snapshot.clock_jumped || snapshot.interrupted,
                               .generation = policy.metadata.generation,
                               .readings = ReadingsOf(snapshot, decision),
                               .snapshot = &snapshot};
  if (const api::Condition* why = Explanation(decision.status)) {
    evaluation.reason = why->reason;
    evaluation.message = why->message;
  }
  if (decision.rescale) {
    evaluation.message = decision.rescale_reason;
  }
  return evaluation;
}

std::string Problem(const engine::Conclusion& conclusion) {
  const api::Condition* ready = engine::Find(conclusion.status.conditions, api::kReady);
  return Is(ready, "False") ? ready->reason + ": " + ready->message : "";
}

}  // namespace ballast::controllers
