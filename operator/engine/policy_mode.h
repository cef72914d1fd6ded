// spec.mode of a policy: whether it acts, only says what it would do, or rests.
//
// Thread-safety: pure functions.
#pragma once

#include "api/autoscaling/types.h"
#include "api/decision/decision.h"
#include "operator/engine/conditions.h"

namespace ballast::engine {

enum class Mode { kActive, kDryRun, kDisabled };

// An unknown mode, which validation refuses, is taken for Disabled: the one that harms least.
Mode ModeOf(const api::AutoscalerSpec& spec);

// Unless the mode is Active: sets the condition Held, and turns a decision to rescale into a wish
// when the mode is DryRun.
void ApplyMode(Mode mode, Conditions& conditions, Decision& decision);

}  // namespace ballast::engine
