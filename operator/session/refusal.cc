#include "operator/session/refusal.h"

#include "api/autoscaling/condition_types.h"
#include "operator/engine/conditions.h"
#include "operator/session/evaluation_record.h"

namespace ballast::session {

void DescribeRefusal(const api::Autoscaler& autoscaler, const Refusal& refusal, Time now,
                     api::AutoscalerStatus& status) {
  status.observed_generation = autoscaler.metadata.generation;
  status.schedules.reset();
  engine::Conditions conditions(status.conditions, now);
  if (refusal.condition.empty()) {
    conditions.Remove(api::kConflicted);
  } else {
    conditions.True(refusal.condition, refusal.reason, refusal.message);
  }
  conditions.False(api::kReady, refusal.name(), refusal.message);
}

store::EvaluationRecord RecordOf(const api::Autoscaler& autoscaler, const Refusal& refusal,
                                 Time now, Duration period, std::int32_t replicas) {
  return {.subject = SubjectOf(autoscaler),
          .time = now,
          .period = period,
          .current_replicas = replicas,
          .desired_replicas = replicas,
          .reason = refusal.name(),
          .message = refusal.message,
          .generation = autoscaler.metadata.generation};
}

}  // namespace ballast::session
