// The first evaluation of a policy whose annotation ballast.dev/takes-over names a
// HorizontalPodAutoscaler (api/autoscaling/take_over_annotation.h). While the HPA exists, the
// policy is in conflict with it and is not evaluated. Then:
//
// - BeginTakeOver, before the decision: the present replicas become the latest recommendation, so
//   that nothing scales in for a whole window, as if the policy had recommended them itself.
// - FinishTakeOver, after it: adds an event and the condition TookOver, which keeps this from
//   happening again, and says what the ledger records of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "store/records.h"

namespace ballast::controllers {

// `hpas`: the names of the HPAs that scale the policy's target now. Returns the name of the one
// that is gone; nullopt: there is nothing to take over, or not yet.
std::optional<std::string> BeginTakeOver(const std::vector<std::string>& hpas,
                                         engine::Snapshot& snapshot);

store::Edit FinishTakeOver(const std::string& from, const engine::Snapshot& snapshot,
                           engine::Conclusion& conclusion);

}  // namespace ballast::controllers
