// An evaluation in the few words that history, status and log have room for.
//
// Thread-safety: pure functions.
#pragma once

#include <string>

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "store/records.h"

namespace ballast::controllers {

// What the ledger records about it. The snapshot must outlive the record's use.
store::Evaluation Describe(const engine::Snapshot& snapshot, const engine::Decision& decision,
                           Duration period);

// The conclusion's JSON, as the ledger keeps it.
std::string Print(const engine::Conclusion& conclusion);

// Why the policy cannot be served as declared ("FailedGetScale: ..."); empty when it can.
std::string Problem(const engine::Conclusion& conclusion);

}  // namespace ballast::controllers
