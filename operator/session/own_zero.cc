#include "operator/session/own_zero.h"

#include <algorithm>
#include <variant>

#include "api/autoscaling/condition_types.h"
#include "operator/engine/conditions.h"
#include "operator/engine/effective.h"
#include "operator/engine/scale_to_zero.h"
#include "operator/engine/timetable.h"

namespace ballast::session {

void CompleteZero(bool own_zero, ScalePort& scales, engine::Snapshot& snapshot) {
  api::Autoscaler& autoscaler = snapshot.autoscaler;
  const auto* scale = std::get_if<api::Scale>(&snapshot.scale);
  if (scale == nullptr || scale->spec_replicas != 0 ||
      engine::IsTrue(autoscaler.status.conditions, api::kScaledToZero)) {
    return;
  }
  const auto who = scales.WhoSet(autoscaler, *scale);
  if (!who.ok() && !own_zero) {
    snapshot.scale = engine::Failure{"who set its 0 replicas: " + who.error().message};
    return;
  }
  const auto manager = who.ok() ? *who : std::nullopt;
  if (manager ? manager->manager == api::kFieldManager : own_zero) {
    engine::Conditions conditions(autoscaler.status.conditions, snapshot.now);
    // The schedule may be over by now, and the override gone: with a minimum, one of them it was.
    const bool by_schedule = std::ranges::any_of(
        autoscaler.spec.schedules.Unpack(),
        [](const api::Schedule& schedule) { return schedule.max_replicas == 0; });
    engine::Decision zero;
    zero.bounds = engine::EffectiveBounds(snapshot);
    zero.current_replicas = 1;
    zero.target_replicas = 0;
    if (autoscaler.is_policy() && (by_schedule || zero.bounds.min > 0 || zero.bounds.max == 0)) {
      zero.bounds = {0, 0};
      zero.rescale_reason = by_schedule ? engine::kBySchedule : engine::kByOverride;
    }
    engine::RecordZero(engine::EffectiveSettings(snapshot), autoscaler, zero, conditions);
  }
}

}  // namespace ballast::session
