// What of a memory still counts: the rest may be dropped without changing any decision from `now`
// on, as long as the spec's windows and periods do not grow.
//
// Thread-safety: pure functions. They cannot fail.
#pragma once

#include <vector>

#include "api/autoscaling/types.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

// Drops recommendations older than every stabilization window, but not the last one (an empty list
// would mean "never evaluated"), and scale events older than every period that looks at them.
// Where one direction's periods are longer than the other's, the other's events are all kept: which
// of them the next event overwrites depends on the old ones too.
void PruneMemory(const api::AutoscalerSpec& spec, const Settings& settings, Time now,
                 Memory& memory);

// Of each count only its latest time, by time: all that a window looks at. An upstream memory must
// not be changed so: its slots matter.
void KeepLatestOfEachCount(std::vector<Recommendation>& recommendations);

}  // namespace ballast::engine
