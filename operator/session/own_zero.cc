#include "operator/session/own_zero.h"

#include <variant>

#include "api/autoscaling/condition_types.h"
#include "operator/engine/conditions.h"
#include "operator/engine/scale_to_zero.h"
#include "operator/session/who_set.h"

namespace ballast::session {

bool IsUntoldZero(const api::Scale& scale, const api::AutoscalerStatus& status) {
  return scale.spec_replicas == 0 && !engine::IsTrue(status.conditions, api::kScaledToZero);
}

void CompleteZero(bool own_zero, const Result<api::Scale>& managed, engine::Snapshot& snapshot) {
  const auto* scale = std::get_if<api::Scale>(&snapshot.scale);
  if (scale == nullptr || !IsUntoldZero(*scale, snapshot.autoscaler.status)) {
    return;
  }
  const auto who = WhoSet(managed, *scale);
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
