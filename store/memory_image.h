// An autoscaler's memory as a store has it.
//
// Stabilization asks only whether a replica count was recommended within a window, that is, for its
// latest time. So a memory is kept as the latest time of each count, and that is exact. The count
// that each evaluation repeats is "held": its time moves with every evaluation, and instead of
// writing it again and again one heartbeat says how far the whole fleet has come.
//
// Thread-safety: plain values and pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "api/base/time.h"
#include "api/decision/memory.h"

namespace ballast::store {

struct MemoryImage {
  std::map<std::int32_t, Time> recommendations;  // count -> the latest time that it was recommended
  std::vector<engine::ScaleEvent> scale_ups;
  std::vector<engine::ScaleEvent> scale_downs;
  std::vector<engine::UsedSample> used_samples;
  Time evaluated;
  Duration period;
  bool live = false;                 // it is evaluated every period
  std::optional<std::int32_t> held;  // live: the count recommended at `evaluated`
  friend bool operator==(const MemoryImage&, const MemoryImage&) = default;
};

// What `memory` looks like after a live autoscaler's evaluation at `evaluated`.
MemoryImage ImageOf(const engine::Memory& memory, Time evaluated, Duration period);

// The same with exact times and nothing held: the autoscaler is not evaluated any more.
MemoryImage AtRest(MemoryImage image);

// The engine's form. Recommendations later than `now` become `now`.
engine::Memory MemoryOf(const MemoryImage& image, Time now);

// Whether a store that has `written` has all of `present`, given the heartbeat.
bool Covers(const MemoryImage& written, const MemoryImage& present);

}  // namespace ballast::store
