// Stabilization: recent recommendations hold back the present one.
//
// Recommendations live in slots: a new one overwrites the last slot that is too old to count, else
// it is appended, as upstream does it.
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

// Without spec.behavior: the highest of `raw` and of what was recommended since now - `window`.
// Records {raw, now} in `recommendations`.
std::int32_t StabilizeScaleDown(std::vector<Recommendation>& recommendations, std::int32_t raw,
                                Time now, Duration window);

struct Windows {
  Duration up;
  Duration down;
};

// What spec.behavior says: nothing up means 0, nothing down the installation's setting (in whole
// seconds).
Windows WindowsOf(const api::Behavior& behavior, const Settings& settings);

// With spec.behavior: `current`, raised to the lowest recommendation of the up window and lowered
// to the highest of the down window, `raw` being one of each. Records {raw, now}.
std::int32_t StabilizeBothWays(std::vector<Recommendation>& recommendations, std::int32_t current,
                               std::int32_t raw, Time now, const Windows& windows);

}  // namespace ballast::engine
