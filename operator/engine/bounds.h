// The bounds of one evaluation: the one place that knows where they come from.
//
// Thread-safety: pure function. It cannot fail.
#pragma once

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

// minReplicas, 1 where the spec has none, and maxReplicas. Decision::bounds carries them to whoever
// acts on the decision or explains it.
Bounds EffectiveBounds(const Snapshot& snapshot);

}  // namespace ballast::engine
