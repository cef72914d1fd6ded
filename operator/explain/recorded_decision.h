// A recorded decision in the engine's terms, to be run again.
//
// Thread-safety: pure functions. Failure modes: each function's.
#pragma once

#include <cstdint>
#include <string>

#include "api/base/result.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "store/reader.h"

namespace ballast::explain {

// The snapshot that was recorded with `entry`. kCorrupt when it cannot be read.
Result<engine::Snapshot> ParseRecorded(const store::Entry& entry, const std::string& snapshot);

// How it ended, as its conclusion has it: what was found out later is not in the memory either.
engine::Outcome OutcomeOf(const store::Entry& entry);

// The count that the decision wishes for, whether it may act or not.
std::int32_t Wish(const engine::Decision& decision);

// Whether that is the count that was recorded.
bool Agrees(const engine::Decision& decision, const store::Entry& entry);

}  // namespace ballast::explain
