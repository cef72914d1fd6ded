#include "operator/engine/refusal.h"

#include "api/autoscaling/condition_types.h"
#include "operator/engine/conditions.h"

namespace ballast::engine {

api::AutoscalerStatus ConcludeRefusal(const api::Autoscaler& policy, const Refusal& refusal,
                                      api::AutoscalerStatus last, Time now) {
  last.observed_generation = policy.metadata.generation;
  last.schedules.reset();
  Conditions conditions(last.conditions, now);
  conditions.Remove(api::kHeld);
  if (refusal.condition.empty()) {
    conditions.Remove(api::kConflicted);
  } else {
    conditions.True(refusal.condition, refusal.reason, refusal.message());
  }
  conditions.False(api::kReady, refusal.name(), refusal.message());
  return last;
}

std::vector<api::Condition> ConcludeUnmanaged(const api::Autoscaler& hpa, const std::string& reason,
                                              const std::string& message, Time now) {
  std::vector<api::Condition> all = hpa.status.conditions;
  Conditions conditions(all, now);
  conditions.Remove(api::kHeld);
  if (reason.empty()) {
    conditions.Remove(api::kManaged);
  } else {
    conditions.False(api::kManaged, reason, message);
  }
  return all;
}

}  // namespace ballast::engine
