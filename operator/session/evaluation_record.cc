#include "operator/session/evaluation_record.h"

#include <string_view>
#include <variant>

#include "api/base/stable_hash.h"
#include "api/json/json_writer.h"
#include "operator/engine/conditions.h"
#include "operator/session/readings.h"

namespace ballast::session {
namespace {

bool Is(const api::Condition* condition, const char* status) {
  return condition != nullptr && condition->status == status;
}

// The scale's replicas; if it cannot be read now, those in the status.
std::int32_t CurrentReplicas(const engine::Snapshot& snapshot) {
  const auto* scale = std::get_if<api::Scale>(&snapshot.scale);
  return scale != nullptr ? scale->spec_replicas : snapshot.autoscaler.status.current_replicas;
}

// Without a scale the decision has no count, not even one in DryRun.
std::int32_t DesiredReplicas(const engine::Snapshot& snapshot, const engine::Decision& decision,
                             std::int32_t current) {
  return std::holds_alternative<api::Scale>(snapshot.scale)
             ? decision.dry_run_replicas.value_or(decision.rescale ? decision.target_replicas
                                                                   : current)
             : current;
}

}  // namespace

const api::Condition* Explanation(const api::AutoscalerStatus& status, bool rescale) {
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
  // A pause is a hold also while there is nothing to hold.
  const bool only_paused = Is(held, "True") &&
                           (held->reason == api::kPaused || held->reason == api::kHeldBySchedule) &&
                           (Is(active, "False") || Is(limited, "True"));
  if (Is(held, "True") && !rescale && !only_paused) {
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

store::Subject SubjectOf(const api::Autoscaler& autoscaler) {
  return {autoscaler.metadata.uid, autoscaler.kind, autoscaler.key()};
}

std::int64_t GenerationOf(const api::Autoscaler& autoscaler) {
  if (autoscaler.is_policy()) {
    return autoscaler.metadata.generation;
  }
  json::Writer spec;
  api::Encode(spec, autoscaler.spec);
  return static_cast<std::int64_t>(StableHash(spec.Take()) >> 1);
}

store::EvaluationRecord Describe(const engine::Snapshot& snapshot, const engine::Decision& decision,
                                 Duration period) {
  const api::Autoscaler& autoscaler = snapshot.autoscaler;
  const std::int32_t current = CurrentReplicas(snapshot);
  store::EvaluationRecord evaluation{
      .subject = SubjectOf(autoscaler),
      .time = snapshot.now,
      .period = period,
      .current_replicas = current,
      .desired_replicas = DesiredReplicas(snapshot, decision, current),
      .dry_run = decision.dry_run_replicas.has_value(),
      .clock_jumped = snapshot.clock_jumped || snapshot.interrupted,
      .generation = GenerationOf(autoscaler),
      .readings = ReadingsOf(snapshot, decision),
      .snapshot = &snapshot};
  if (const api::Condition* why = Explanation(decision.status, decision.rescale)) {
    evaluation.reason = why->reason;
    evaluation.message = why->message;
  }
  if (decision.rescale) {
    evaluation.message = decision.rescale_reason;
  }
  return evaluation;
}

void DescribeShadow(const engine::Decision& decision, store::EvaluationRecord& evaluation) {
  evaluation.dry_run = true;
  if (decision.ComputedNothing()) {
    evaluation.reason = decision.problem->reason;
    evaluation.message = decision.problem->message;
  }
}

store::EvaluationRecord Describe(const api::Autoscaler& autoscaler, const engine::Refusal& refusal,
                                 Time now, Duration period, std::int32_t replicas) {
  return {.subject = SubjectOf(autoscaler),
          .time = now,
          .period = period,
          .current_replicas = replicas,
          .desired_replicas = replicas,
          .reason = refusal.name(),
          .message = refusal.message(),
          .cause = refusal.cause,
          .generation = GenerationOf(autoscaler)};
}

std::string Problem(const engine::Conclusion& conclusion) {
  const api::Condition* ready = engine::Find(conclusion.status.conditions, api::kReady);
  return Is(ready, "False") ? ready->reason + ": " + ready->message : "";
}

}  // namespace ballast::session
