// Policies: what memory is worth after an interruption, or when the clock jumped, and what of it is
// kept.
//
// Thread-safety: pure functions. They cannot fail.
#pragma once

#include <cstdint>

#include "api/decision/memory.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

// The snapshot's memory, no recommendation or scale event of it later than now. When the
// evaluations were interrupted, the clock jumped, or the policy was Disabled, {now, `current`} is
// added to the recommendations as if the controller had just started: what happened meanwhile is
// unknown, so that nothing scales in before one window has been watched. Evaluations that are late,
// however regularly, add nothing: what they would have recommended, they recommend now.
Memory RecallPolicyMemory(const Snapshot& snapshot, std::int32_t current);

// Drops what no decision from the snapshot's `now` on will look at, and of each replica count all
// recommendations but the latest. So memory stays within one entry for each count that was
// recommended within the windows, however often, and how irregularly, the policy is evaluated.
void CompactPolicyMemory(const Snapshot& snapshot, Memory& memory);

}  // namespace ballast::engine
