// An autoscaler's memory as a store has it.
//
// Stabilization asks only whether a replica count was recommended within a window, so the latest
// time of each count is all that it needs. The count that every evaluation recommends again is
// "held": its time changes with every evaluation, and instead of writing it each time, one
// heartbeat extends the held counts of the whole fleet.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "api/base/time.h"
#include "api/decision/memory.h"

namespace ballast::store {

struct MemoryImage {
  std::map<std::int32_t, Time> recommendations;  // count -> when it was last recommended
  engine::Memory as_is;     // all but the recommendations, of which it has none
  bool incomplete = false;  // as EvaluationRecord::incomplete (records.h)
  Time evaluated;
  Duration period;
  bool live = false;                 // it is evaluated every period; the heartbeat extends it
  std::optional<std::int32_t> held;  // if live: the count recommended at `evaluated`
  friend bool operator==(const MemoryImage&, const MemoryImage&) = default;
};

// The image of `memory` after an evaluation at `evaluated`; live.
MemoryImage ImageOf(engine::Memory memory, Time evaluated, Duration period);

// The same, not live and nothing held: its times are exact, whatever the heartbeat.
MemoryImage AtRest(MemoryImage image);

// The memory as the engine takes it. Recommendations later than `now` become `now`.
engine::Memory MemoryOf(const MemoryImage& image, Time now);

// Whether a store that has `written` and the heartbeat need not be told of `present`.
bool Covers(const MemoryImage& written, const MemoryImage& present);

}  // namespace ballast::store
