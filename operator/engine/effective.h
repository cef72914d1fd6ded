// The bounds, settings and quirks in force for one evaluation. They follow from the autoscaler's
// kind, its spec and the installation's settings.
//
// Thread-safety: pure functions.
// Errors: none.
#pragma once

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "operator/engine/quirks.h"

namespace ballast::engine {

// minReplicas (default 1) and maxReplicas. Decision::bounds passes them on to the code that acts on
// the decision or explains it.
Bounds EffectiveBounds(const Snapshot& snapshot);

// The installation's settings. For a policy both feature gates are on, and spec.readiness overrides
// the readiness settings.
Settings EffectiveSettings(const Snapshot& snapshot);

const Quirks& QuirksOf(bool policy);

}  // namespace ballast::engine
