// The bounds, settings, quirks and pauses in force for one evaluation. They follow from the
// autoscaler's kind, spec, schedules, overrides and annotations, and the installation's settings.
#pragma once

#include <vector>

#include "api/autoscaling/pause_annotation.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "operator/engine/quirks.h"

namespace ballast::engine {

// minReplicas (default 1) and maxReplicas, with what schedules and overrides make of them
// (schedule.h).
// Decision::bounds passes them on to the code that acts on the decision or explains it.
Bounds EffectiveBounds(const Snapshot& snapshot);

// The installation's settings. For a policy both feature gates are on, and spec.readiness overrides
// the readiness settings.
Settings EffectiveSettings(const Snapshot& snapshot);

// Of an HPA those of settings.kubernetes_minor.
const Quirks& QuirksOf(bool policy, const Settings& settings);

// The pause of the annotations, but for the modes that write no scale and so have nothing to pause,
// and those of schedules and overrides with a hold, which a dry run follows too.
std::vector<api::Pause> EffectivePauses(const Snapshot& snapshot);

}  // namespace ballast::engine
