// When a policy is evaluated next: at its own point of the period, so that a thousand policies with
// one period do not all ask at once.
//
// Thread-safety: pure function.
#pragma once

#include <chrono>

#include "api/base/time.h"
#include "api/kubernetes/meta.h"
#include "operator/runtime/clock.h"

namespace ballast::controllers {

// The policy's next point after `now`: more than `now`, at most a period away. The points of one
// policy are a period apart, those of different policies anywhere in it.
runtime::SteadyTime NextRun(const api::ObjectKey& policy, Duration period, runtime::SteadyTime now);

}  // namespace ballast::controllers
