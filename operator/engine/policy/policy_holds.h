// Policies: what keeps a decided count from being written for now. Each hold is a step of the
// decision with a reason of its own, so that `decide`, `why` and `replay` tell the same.
//
// Thread-safety: pure functions. They cannot fail.
#pragma once

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "operator/engine/conditions.h"
#include "operator/engine/trace.h"

namespace ballast::engine {

// Withdraws a decision to rescale that something holds back, and says so in the condition Held,
// which is False when nothing does.
void ApplyHolds(const Snapshot& snapshot, Conditions& conditions, Decision& decision, Trace& trace);

}  // namespace ballast::engine
