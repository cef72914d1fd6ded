// What each metric of an evaluation said, as the ledger keeps it.
//
// Thread-safety: pure function.
#pragma once

#include <vector>

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "store/records.h"

namespace ballast::controllers {

// One for each of the spec's metrics, in their order.
std::vector<store::Reading> ReadingsOf(const engine::Snapshot& snapshot,
                                       const engine::Decision& decision);

}  // namespace ballast::controllers
