// Which rule set the count: the one that a person is told of when they ask what limited it.
//
// Thread-safety: pure function. It cannot fail.
#pragma once

#include "api/decision/decision.h"

namespace ballast::engine {

// The step of the rule that moved the count away from what the metrics ask for, or kept it from
// being had; the last one if there are several; null: what the metrics ask for is done. `decision`
// must have its trace.
const Step* BindingStep(const Decision& decision);

}  // namespace ballast::engine
