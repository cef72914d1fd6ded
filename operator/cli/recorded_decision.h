// A recorded decision in the engine's terms, to be run again.
//
// Thread-safety: pure functions. Failure modes: each function's.
#pragma once

#include <cstdint>
#include <string>

#include "api/result.h"
#include "operator/engine/decision.h"
#include "operator/engine/snapshot.h"
#include "store/reader.h"

namespace ballast::cli {

// The snapshot that was recorded with `entry`. kCorrupt when it cannot be read.
Result<engine::Snapshot> ParseRecorded(const store::Entry& entry, const std::string& snapshot);

// What was recorded of how it ended.
engine::Outcome OutcomeOf(const store::Entry& entry);

// The count that the decision wishes for, whether it may act or not.
std::int32_t Wish(const engine::Decision& decision);

// The step of that rule in the decision's trace; null without one.
const engine::Step* FindStep(const engine::Decision& decision, const std::string& rule);

}  // namespace ballast::cli
