// How far usage may be from its target without a change of the count.
#pragma once

#include "api/autoscaling/types.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

struct Tolerances {
  double scale_down = 0.1;  // a fraction: 0.1 is 10 %
  double scale_up = 0.1;

  // Whether `ratio` (usage / target) is close enough to 1 to change nothing. Both limits are within
  // the range; NaN is not.
  bool Within(double ratio) const { return 1.0 - scale_down <= ratio && ratio <= 1.0 + scale_up; }
};

// The controller's tolerance; the gate allows spec.behavior to override it for each direction.
Tolerances TolerancesFor(const Settings& settings, const api::AutoscalerSpec& spec);

}  // namespace ballast::engine
