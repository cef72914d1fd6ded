// Policies: what memory is worth after a pause, or when the clock jumped.
//
// Thread-safety: pure function.
#pragma once

#include <cstdint>

#include "operator/engine/memory.h"
#include "operator/engine/snapshot.h"

namespace ballast::engine {

// The snapshot's memory, nothing of it later than now. When nothing was evaluated for more than two
// sync periods, the clock jumped, or the policy was Disabled, {now, `current`} is added to the
// recommendations as if the controller had just started: what happened meanwhile is unknown, so
// that nothing scales in before one window has been watched.
Memory RecallPolicyMemory(const Snapshot& snapshot, std::int32_t current);

}  // namespace ballast::engine
