// Whether the windows of one schedule lie within those of another on all days to come, by the wall
// clock of a zone that both have. It is exact: what is not certain is certain not to be so on some
// day, if maybe not within a lifetime.
#pragma once

#include <cstdint>

#include "api/autoscaling/recurrence.h"

namespace ballast::api {

// Whether each window of `inner` lies within windows of `outer`, together with the `minutes_before`
// it, at most three days.
bool LieWithin(const Recurrence& inner, const Recurrence& outer, std::int64_t minutes_before = 0);

// Whether some window of it is open at each moment, whatever the zone.
bool IsAlwaysOpen(const Recurrence& recurrence);

}  // namespace ballast::api
