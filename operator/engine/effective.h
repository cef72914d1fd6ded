// The bounds, settings, quirks and pause in force for one evaluation. They follow from the
// autoscaler's kind, spec and annotations, and the installation's settings.
#pragma once

#include <optional>

#include "api/autoscaling/pause_annotation.h"
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

// Of an HPA those of settings.kubernetes_minor.
const Quirks& QuirksOf(bool policy, const Settings& settings);

// The pause of the annotations; nullopt in the modes that write no scale and so have nothing to
// pause.
std::optional<api::Pause> EffectivePause(const Snapshot& snapshot);

}  // namespace ballast::engine
