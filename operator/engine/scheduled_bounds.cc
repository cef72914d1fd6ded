#include "operator/engine/scheduled_bounds.h"

#include "api/autoscaling/override.h"
#include "api/autoscaling/pause_annotation.h"

namespace ballast::engine {

std::string NameOf(const ScheduleWindow& window) {
  if (!window.origin) {
    return kBySchedule + window.name + '"';
  }
  const std::string& owner = window.origin->owner;
  return kByOverride + window.name + "\" of " + (owner.empty() ? api::kUnknownOwner : owner);
}

std::string WhoHeld(const ScheduledBounds& bounds, const api::Autoscaler& autoscaler) {
  if (bounds.held_by != nullptr) {
    return NameOf(*bounds.held_by);
  }
  const auto pause = api::FindPause(autoscaler);
  return pause && !pause->by.empty() ? "a pause by " + pause->by : "a pause";
}

}  // namespace ballast::engine
