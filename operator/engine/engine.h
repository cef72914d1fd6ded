// The engine: pure functions, and the only ones in the program that may decide a replica count.
//
// For kind HorizontalPodAutoscaler the results equal those of the upstream controller of Kubernetes
// v1.36.3, quirks included; for AutoScalePolicy see docs/engine.md. The same input gives the same
// output on every machine.
//
// Errors: none returned; a problem with the input becomes conditions and events of the decision.
#pragma once

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

// The result of one evaluation, before anything is done. Without tracing only the trace is missing;
// a later call with the recorded snapshot makes it.
Decision Decide(const Snapshot& snapshot, Tracing tracing = Tracing::kOn);

// The result of `decision` and the outcome of its attempt: status, events, memory, release. Takes
// status, events, memory and trace from the decision.
Conclusion Conclude(const Snapshot& snapshot, Decision&& decision, const Outcome& outcome);
inline Conclusion Conclude(const Snapshot& snapshot, const Decision& decision,
                           const Outcome& outcome) {
  return Conclude(snapshot, Decision(decision), outcome);
}

}  // namespace ballast::engine
