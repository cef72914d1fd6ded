// What is in force for one evaluation: where an autoscaler's kind, its spec and the installation
// all have a say, this decides between them.
//
// Thread-safety: pure functions. They cannot fail.
#pragma once

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "operator/engine/quirks.h"

namespace ballast::engine {

// minReplicas, 1 where the spec has none, and maxReplicas. Decision::bounds carries them to those
// who act on the decision or explain it.
Bounds EffectiveBounds(const Snapshot& snapshot);

// The installation's. A policy has both feature gates on, and its spec.readiness wins.
Settings EffectiveSettings(const Snapshot& snapshot);

const Quirks& QuirksOf(bool policy);

}  // namespace ballast::engine
