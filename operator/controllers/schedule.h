// When a policy is evaluated next: each has its own point in the period, so that a thousand
// policies with the same period are not evaluated at once.
//
// Thread-safety: pure function.
// Errors: none.
#pragma once

#include <chrono>

#include "api/base/time.h"
#include "api/kubernetes/meta.h"
#include "operator/runtime/clock.h"

namespace ballast::controllers {

// The policy's next point, after `now` by more than 0 and at most one period. The points of one
// policy are a period apart; the offset is a hash of its kind and
// name.
runtime::SteadyTime NextRun(const api::ObjectReference& policy, Duration period,
                            runtime::SteadyTime now);

}  // namespace ballast::controllers
