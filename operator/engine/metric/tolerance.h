// How far usage may be from its target before anything scales.
//
// Thread-safety: plain values.
#pragma once

#include "api/autoscaling/types.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

struct Tolerances {
  double scale_down = 0.1;  // a fraction: 0.1 is 10 %
  double scale_up = 0.1;

  // Whether `ratio` (usage / target) is close enough to 1 to leave things alone; both ends count as
  // within, NaN never is.
  bool Within(double ratio) const { return 1.0 - scale_down <= ratio && ratio <= 1.0 + scale_up; }
};

// The controller's tolerance, overridden by spec.behavior's where the gate allows it.
Tolerances TolerancesFor(const Settings& settings, const api::AutoscalerSpec& spec);

}  // namespace ballast::engine
