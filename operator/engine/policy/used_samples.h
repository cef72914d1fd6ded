// Policies: one sample of a metric justifies one scale-up.
//
// A metrics pipeline answers with the same sample until it takes the next one. Evaluated more often
// than that, one spike would be acted on again and again.
// Thread-safety: pure functions. They cannot fail.
#pragma once

#include "api/decision/decision.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

// After a scale-up: marks the answers of all metrics that asked for more as used.
void UseSamples(const Snapshot& snapshot, const Decision& decision, Memory& memory);

// Forgets the samples of metrics that the spec no longer has.
void ForgetOtherSamples(const api::AutoscalerSpec& spec, Memory& memory);

}  // namespace ballast::engine
