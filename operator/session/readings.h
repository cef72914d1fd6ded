// The values of an evaluation's metrics, as the ledger stores them.
#pragma once

#include <vector>

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "store/records.h"

namespace ballast::session {

// One for each of spec.metrics, in that order; without a value if the metric failed.
std::vector<store::Reading> ReadingsOf(const engine::Snapshot& snapshot,
                                       const engine::Decision& decision);

// The same from the status that another controller wrote. It does not say how old the values are.
std::vector<store::Reading> ReadingsOf(const api::Autoscaler& autoscaler);

}  // namespace ballast::session
