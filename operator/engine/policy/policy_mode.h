// What spec.mode makes of a decision.
//
// Thread-safety: pure functions.
#pragma once

#include "api/autoscaling/mode.h"
#include "api/decision/decision.h"
#include "operator/engine/conditions.h"

namespace ballast::engine {

// Unless the mode is Active: sets the condition Held, and turns a decision to rescale into a wish
// when the mode is DryRun.
void ApplyMode(api::Mode mode, Conditions& conditions, Decision& decision);

}  // namespace ballast::engine
