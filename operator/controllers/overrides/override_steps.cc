#include "operator/controllers/overrides/override_steps.h"

#include <algorithm>
#include <map>

namespace ballast::controllers {
namespace {

void Earlier(std::optional<Time>& next, std::optional<Time> other) {
  if (other && (!next || *other < *next)) {
    next = other;
  }
}

bool HasEnded(const api::OverrideStatus& status) {
  return status.phase == cluster::kPhaseExpired || status.phase == cluster::kPhaseInvalid;
}

}  // namespace

OverrideSteps StepsAt(const std::vector<cluster::OverridePointer>& all, const Obstacle& obstacle,
                      Time now) {
  std::map<api::ObjectReference, std::vector<cluster::OverridePointer>> by_target;
  for (const cluster::OverridePointer& override : all) {
    by_target[override->target()].push_back(override);
  }
  OverrideSteps steps;
  for (const auto& [target, overrides] : by_target) {
    const std::string problem = obstacle(target);
    for (const cluster::OverridePointer& override : overrides) {
      api::OverrideStatus status = cluster::StatusAt(*override, overrides, now);
      if (status.phase == cluster::kPhaseActive) {
        status.message = problem;
        steps.active.push_back(override);
      }
      if (HasEnded(status)) {
        const Time deleted = std::max(override->spec.until, override->start()) + kEndedOverrideKept;
        if (deleted > now) {
          Earlier(steps.next, deleted);
        } else if (!override->metadata.deletion_timestamp) {  // else somebody's finalizer keeps it
          steps.outdated.push_back(override);
          continue;
        }
      }
      if (status.phase != override->status.phase) {
        steps.autoscalers.insert(target);
      }
      if (status != override->status) {
        steps.statuses.push_back({override, std::move(status)});
      }
    }
    Earlier(steps.next, cluster::NextChange(overrides, now));
  }
  return steps;
}

}  // namespace ballast::controllers
