// A recorded decision in the engine's terms, so that it can be run again.
//
// Errors: ParseRecorded: kCorrupt; the others none.
#pragma once

#include <cstdint>
#include <string>

#include "api/base/result.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "store/history.h"

namespace ballast::explain {

// The snapshot recorded with `entry`. kCorrupt: it cannot be read.
Result<engine::Snapshot> ParseRecorded(const store::Entry& entry, const std::string& snapshot);

// The outcome that the recorded conclusion was made with. An outcome that was unknown then stays
// so, also if it was settled later: the memory was made without it as well.
engine::Outcome OutcomeOf(const store::Entry& entry);

// The count that the decision asks for, including one in DryRun.
std::int32_t Wish(const engine::Decision& decision);
// The same of one that was made from the inputs of `entry`: without a scale, as in mode Disabled or
// where it could not be read, it leaves the replicas as they are.
std::int32_t Wish(const engine::Decision& decision, const store::Entry& entry);

// Whether the decision leads to the recorded count.
bool Agrees(const engine::Decision& decision, const store::Entry& entry);

}  // namespace ballast::explain
