// The first evaluation of a policy whose annotation ballast.dev/takes-over names a
// HorizontalPodAutoscaler (api/autoscaling/take_over_annotation.h). As long as that one is there,
// the policy is in conflict with it and is not evaluated. Then:
//
//   1. BeginTakeOver, before the decision: the present replicas become what was recommended last,
//   so
//      that nothing is scaled in for a whole window, as if the policy had recommended them itself.
//   2. FinishTakeOver, after it: an event says so, and the condition TookOver keeps it from
//      happening again.
//
// Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"

namespace ballast::controllers {

// `hpas`: the names of those that scale the policy's target now. The name of the one that is gone;
// nullopt: there is nothing to take over, or not yet.
std::optional<std::string> BeginTakeOver(const std::vector<std::string>& hpas,
                                         engine::Snapshot& snapshot);

void FinishTakeOver(const std::string& from, const engine::Snapshot& snapshot,
                    engine::Conclusion& conclusion);

}  // namespace ballast::controllers
