// Policies: one sample of a metric justifies one scale-up.
//
// A metrics API returns the same sample until it takes the next one. A policy that is evaluated
// more often than that would otherwise scale up repeatedly for one spike.
#pragma once

#include "api/decision/decision.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

// After a scale-up: marks the samples of all metrics that asked for more as used. Otherwise does
// nothing.
void UseSamples(const Snapshot& snapshot, const Decision& decision, Memory& memory);

// Removes the samples of metrics that the spec no longer has.
void ForgetOtherSamples(const api::AutoscalerSpec& spec, Memory& memory);

}  // namespace ballast::engine
