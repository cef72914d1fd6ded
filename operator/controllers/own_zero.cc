#include "operator/controllers/own_zero.h"

#include <algorithm>
#include <variant>

#include "api/autoscaling/condition_types.h"
#include "operator/engine/conditions.h"
#include "operator/engine/effective.h"
#include "operator/engine/scale_to_zero.h"
#include "operator/kube/transport.h"

namespace ballast::controllers {

void CompleteZero(bool own_zero, ScalePort& scales, engine::Snapshot& snapshot) {
  api::Autoscaler& autoscaler = snapshot.autoscaler;
  const auto* scale = std::get_if<api::Scale>(&snapshot.scale);
  if (scale == nullptr || scale->spec_replicas != 0 ||
      engine::IsTrue(autoscaler.status.conditions, api::kScaledToZero)) {
    return;
  }
  const auto manager = scales.WhoSet(autoscaler, 0);
  if (manager ? manager->manager == kube::kFieldManager : own_zero) {
    engine::Conditions conditions(autoscaler.status.conditions, snapshot.now);
    // The schedule may be over by now.
    const bool by_schedule = std::ranges::any_of(
        autoscaler.spec.schedules,
        [](const api::Schedule& schedule) { return schedule.max_replicas == 0; });
    engine::RecordZero(engine::EffectiveSettings(snapshot), autoscaler,
                       by_schedule ? engine::Bounds{0, 0} : engine::EffectiveBounds(snapshot), 1, 0,
                       conditions);
  }
}

}  // namespace ballast::controllers
