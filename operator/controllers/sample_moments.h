// When an autoscaler is evaluated next whose source of metrics takes its samples in a rhythm: right
// behind new samples.
#pragma once

#include <optional>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "operator/process/clock.h"
#include "operator/sources/sample_rhythm.h"

namespace ballast::controllers {

// The autoscaler's next evaluation, after `now` by more than 0 and at most one period: behind the
// next samples of metrics.k8s.io, or a period later, if that is earlier. Absent: the rhythm has
// nothing to say about it, because the autoscaler scales on none of these samples, or they come
// more often than its period.
//
// HPAs are evaluated as often as by upstream's controller: a rhythm has a say only if it is steady
// and its interval is a whole number of their periods, and then the evaluations between two moments
// are a period apart.
std::optional<process::SteadyTime> NextBehindSamples(const api::Autoscaler& autoscaler,
                                                     const sources::Rhythm& rhythm, Duration period,
                                                     process::SteadyTime now);

}  // namespace ballast::controllers
