// What has to be done about overrides at some moment: whose status to write, which of the ended
// ones to delete, which autoscalers to evaluate. As a step without clock or I/O; OverrideKeeper
// carries it out.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/autoscaling/override.h"
#include "api/base/time.h"
#include "api/kubernetes/meta.h"
#include "operator/cluster/overrides.h"
#include "operator/cluster/watches.h"

namespace ballast::controllers {

// How long an ended override is kept, so that people can look it up.
inline constexpr Duration kEndedOverrideKept = Duration::Seconds(30 * 24 * 3600);

// By uid.
using OverridePhases = std::map<std::string, std::string>;

struct OverrideSteps {
  struct NewStatus {
    cluster::OverridePointer of;
    api::OverrideStatus status;
  };
  std::vector<NewStatus> statuses;  // those that differ from what the objects have
  std::vector<cluster::OverridePointer> outdated;
  std::set<api::ObjectReference> autoscalers;  // whose overrides' phases have changed
  OverridePhases phases;                       // of all
  std::vector<cluster::OverridePointer> active;
  std::optional<Time> next;  // when more may have to be done, if nothing changes before
};

// Why no override of that autoscaler has an effect; empty: they have.
using Obstacle = std::function<std::string(const api::ObjectReference& autoscaler)>;

// What is asked about autoscalers.
struct OverrideLookups {
  // As cluster::Watches::SubjectsOf and Find.
  std::function<std::vector<api::ObjectReference>(const api::AutoScaleOverride& override)> subjects;
  std::function<cluster::AutoscalerPointer(const api::ObjectReference& autoscaler)> find;
  Obstacle obstacle;
};

// `all`: all overrides that there are. `told`: the phases of which autoscalers were told before, so
// that a status that cannot be written does not have them evaluated again and again; of those not
// among them the object's counts.
OverrideSteps StepsAt(const std::vector<cluster::OverridePointer>& all,
                      const OverrideLookups& lookups, const OverridePhases& told, Time now);

}  // namespace ballast::controllers
