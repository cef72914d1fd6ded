// The moment at which a stabilization window, a rate, a pause or a suspect source stops holding the
// count back, spec.fallback begins to count, or a schedule moves a bound.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "api/autoscaling/pause_annotation.h"
#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"
#include "operator/engine/rate_limit.h"
#include "operator/engine/timetable.h"

namespace ballast::engine {

// The state after an evaluation.
struct Standing {
  const Memory& memory;
  std::int32_t current = 0;  // replicas
  // The count that the metrics ask for; absent if none could be computed or none was asked for.
  std::optional<std::int32_t> recommended;
  const Quirks& quirks;
  std::vector<api::Pause> pauses;  // in force
  // Without `recommended`: what spec.fallback will ask for, and when.
  std::optional<Release> fallback = {};
  std::optional<Time> suspect_until = {};  // until then nothing is scaled in
  // Without replicas: whether a minimum above 0 wakes the target.
  bool may_wake = false;
};

// The first moment after `now` at which an evaluation would change the count, all else being equal.
// Absent if nothing is held back, if the next evaluation may change the count at once, or if time
// does not help (bounds, a disabled direction).
std::optional<Release> FindRelease(const Timetable& timetable, const Settings& settings,
                                   const Standing& standing, Time now);

}  // namespace ballast::engine
