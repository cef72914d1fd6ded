// The mirror of a memory: the part on which later decisions depend, for a replica whose store is
// empty, or older than another replica's.
//
// It has a bounded size: of many recommendations or scale events the oldest are one, which counts
// for longer than they would.
//
// It need not have every recommendation. A replica that restores from it does not know what was
// recommended since it was written, so that evaluation counts as interrupted (continuity.h) and
// recommends the present replicas anew: nothing scales in before a whole window has been observed.
// The mirror adds recommendations for more replicas than there are, and the scale events that limit
// the rate.
#pragma once

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

// That of `memory`, as an evaluation at `now` left it. It does not change while nothing happens, so
// that it causes no writes of the status.
Memory MirrorOf(const api::AutoscalerSpec& spec, const Settings& settings, const Memory& memory,
                Time now);

// Whether they are known to be of two targets. Neither says which is newer.
bool AreOfTwoTargets(const Memory& memory, const Memory& other);

// Adds to `memory` what only the mirror has. The mirror alone knows since when something lasts,
// unless it is of this very memory (`own`), which is newer.
void Restore(Memory& memory, const Memory& mirror, bool own);

}  // namespace ballast::engine
