// What becomes of those fields of a HorizontalPodAutoscaler that need a feature gate: an API server
// whose gate is off refuses minReplicas 0 and drops tolerances.
//
// For `ballast validate`, which has no server to ask. The admission webhook does not need it: API
// servers call it with what they have accepted.
//
// Errors: none returned; everything that is wrong is in ObjectCheck::errors.
#pragma once

#include "api/autoscaling/feature_gates.h"
#include "api/autoscaling/object_check.h"

namespace ballast::api {

// Adds errors and warnings to the check of an object; for a policy none. A gate that `gates` does
// not set may be on or off: what needs it is a warning that says so.
void CheckGates(const GateOverrides& gates, ObjectCheck& check);

}  // namespace ballast::api
