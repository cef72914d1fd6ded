// Drops the entries of a memory that no decision from `now` on depends on, as long as the windows
// and periods of the spec and the settings do not grow.
#pragma once

#include <vector>

#include "api/autoscaling/types.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

// Drops recommendations older than every stabilization window, except the newest one (an empty list
// means "never evaluated"), and scale events older than every period that counts them. If one
// direction has longer periods than the other, all events of the other direction stay: the old ones
// too determine which of them the next event overwrites.
void PruneMemory(const api::AutoscalerSpec& spec, const Settings& settings, Time now,
                 Memory& memory);

// Keeps only the latest recommendation of each count, sorted by time; stabilization windows need no
// more. Do not store the result for an HPA: its memory must keep upstream's slots.
void KeepLatestOfEachCount(std::vector<Recommendation>& recommendations);

}  // namespace ballast::engine
