// Stabilization: recent recommendations limit the present one.
//
// The list of recommendations is upstream's list of slots: a new recommendation overwrites the last
// slot that is too old to count; if there is none, it is appended.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

struct Windows {
  Duration up;
  Duration down;

  Duration Longest() const { return std::max(up, down); }
};

// The windows of spec.behavior, which has 0 up and the installation's setting (in whole seconds)
// down where it says nothing; without it, 0 up and the setting down.
Windows WindowsOf(const api::AutoscalerSpec& spec, const Settings& settings);
// Those of a snapshot.
inline Windows WindowsOf(const Snapshot& snapshot) {
  return WindowsOf(snapshot.autoscaler.spec, snapshot.settings);
}

// Without spec.behavior: the highest of `raw` and the recommendations since `now` - `window`.
std::int32_t StabilizeScaleDown(const std::vector<Recommendation>& recommendations,
                                std::int32_t raw, Time now, Duration window);

// With spec.behavior: `current`, raised to the lowest recommendation of the up window, then lowered
// to the highest of the down window; `raw` counts in both.
std::int32_t StabilizeBothWays(const std::vector<Recommendation>& recommendations,
                               std::int32_t current, std::int32_t raw, Time now,
                               const Windows& windows);

// Adds {now, raw}. A slot is too old from `window`, the longest, before `now`.
void Record(std::vector<Recommendation>& recommendations, std::int32_t raw, Time now,
            Duration window);

}  // namespace ballast::engine
