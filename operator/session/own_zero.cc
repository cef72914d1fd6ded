#include "operator/session/own_zero.h"

#include <variant>

#include "api/autoscaling/condition_types.h"
#include "operator/engine/conditions.h"
#include "operator/engine/scale_to_zero.h"

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
    engine::ClaimZero(snapshot);
  }
}

}  // namespace ballast::session
