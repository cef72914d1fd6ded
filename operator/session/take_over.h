// When a policy whose annotation ballast.dev/takes-over names a HorizontalPodAutoscaler
// (api/autoscaling/take_over_annotation.h) takes over from it: once it is gone. While it exists,
// the policy is in conflict with it and is not evaluated. What follows from it, the engine says
// (engine/policy/take_over.cc).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/decision/snapshot.h"
#include "store/records.h"

namespace ballast::session {

// `hpas`: the names of the HPAs that scale the policy's target now. Returns the name of the one
// that is gone; nullopt: there is nothing to take over, or not yet.
std::optional<std::string> TakesOverNow(const std::vector<std::string>& hpas,
                                        const engine::Snapshot& snapshot);

// What the ledger records of it. The snapshot has `takes_over_from`.
store::Edit TakeOverOf(const engine::Snapshot& snapshot);

}  // namespace ballast::session
