// The engine: two pure functions, and nothing else in the program may decide a replica count.
//
// For kind HorizontalPodAutoscaler they equal the upstream controller of Kubernetes v1.36.3, quirks
// included; for AutoScalePolicy see docs/engine.md. The same input gives the same output on every
// machine. Thread-safety: no state, no clock, no I/O; may be called by any thread. They never fail:
// what is wrong with the input is part of the decision (conditions and events).
#pragma once

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

// Everything that one evaluation concludes before acting. Without tracing the result is the same,
// its trace empty: since the engine is pure, the trace of a recorded snapshot can be had later.
Decision Decide(const Snapshot& snapshot, Tracing tracing = Tracing::kOn);

// Counts the attempt's change of replicas among the memory's scale events, and the samples that
// justified it as used, if there was one. One whose outcome nobody knows counts: it may have
// happened. `memory` may be that of a later evaluation.
void CountAttempt(Memory& memory, const Snapshot& snapshot, const Decision& decision,
                  const Outcome& outcome);

// What the attempt to act makes of it.
Conclusion Conclude(const Snapshot& snapshot, Decision decision, const Outcome& outcome);

}  // namespace ballast::engine
