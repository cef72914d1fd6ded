// What is remembered of a policy counts for this policy, for its present target, and as long as its
// evaluations continue each other. Here is what breaks them off, and what still counts after that:
//
//                     doubt                yielded          other target
//   recommendations   count                -                -
//   scale events      count                count            -
//   used samples      count                count            -
//   since when no metric has given a value, or a source is suspect
//                     -                    -                -
//
// After each of them the present count becomes a recommendation, so that nothing scales in before a
// whole window has been observed: where recommendations still count Mend() adds it, because the
// snapshot says that its memory is in doubt; else it is that of a first evaluation.
//
// So it does where the first value comes after evaluations of a whole window had none.
//
// An HPA's memory is upstream's: only a doubt concerns it. Its snapshot has a memory that is mended
// already (Begin), because decisions about it are upstream's.
#pragma once

#include <cstdint>

#include "api/base/time.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

// The longest time between two evaluations of that period in which the recommendations are still
// taken as known.
inline Duration LongestGap(Duration period) { return {period.nanoseconds * 2}; }

// Each forgets what those before it forget.
enum class Break {
  kDoubt,    // a clock was set, or what another leader remembered cannot be read
  kYielded,  // it was not evaluated: refused, or its mode or spec.scaleTargetRef said so; others
             // may have scaled the target
  kOtherTarget,  // another one by its uid
};

void Forget(Break after, Memory& memory);

// The present count as a recommendation: where nobody knows what would have been recommended,
// nothing scales in before one whole window has been observed.
inline void Seed(Memory& memory, Time now, std::int32_t replicas) {
  memory.recommendations.push_back({now, replicas});
}

// Corrects the memory with which an evaluation begins. Moves recommendations and scale events in
// the future to now: they are of a clock that was wrong, and would count until that time has come.
// If evaluations were interrupted, a clock was set, the policy was Disabled, or evaluations had no
// value until now, adds the present count to the recommendations, as upstream does when it starts:
// what happened meanwhile is unknown. Late evaluations add nothing, even if they are frequent: what
// they would have recommended, they recommend now.
void Mend(const Snapshot& snapshot, Memory& memory);

// Makes `memory` the one with which the snapshot's evaluation begins: it is of the snapshot's
// target, and an HPA's is mended.
void Begin(const Snapshot& snapshot, Memory& memory);

// Whether a metric gives a value now, and evaluations of the whole scale-down window before had
// none: what they would have recommended is not known, and a source that starts again may count
// from zero. What Snapshot::silence_ended says.
bool EndsSilence(const Snapshot& policy);

}  // namespace ballast::engine
