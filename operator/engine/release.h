// When time alone changes what a stabilization window or a rate holds back.
//
// Thread-safety: pure function. It cannot fail.
#pragma once

#include <cstdint>
#include <optional>

#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"
#include "operator/engine/rate_limit.h"

namespace ballast::engine {

// What an evaluation leaves to the next one.
struct Standing {
  const Memory& memory;
  std::int32_t current = 0;         // replicas
  std::int32_t recommended = 0;     // what the metrics ask for
  std::int32_t scale_up_limit = 0;  // without spec.behavior
};

// The first moment after `now` at which an evaluation comes to another count than one at `now`
// would, all else being equal. Absent when nothing is held back, or time does not help: bounds, a
// direction that is disabled, or the next evaluation may go on at once.
std::optional<Release> FindRelease(const api::AutoscalerSpec& spec, const Settings& settings,
                                   const Bounds& bounds, const Standing& standing, Time now);

}  // namespace ballast::engine
