// Checks that the sources of a policy's Prometheus metrics are ones that the installation has for
// its namespace.
//
// Errors: none returned; everything that is wrong is in the Verdict.
#pragma once

#include "api/autoscaling/types.h"
#include "webhooks/lookup.h"
#include "webhooks/review.h"

namespace ballast::webhooks {

// Adds errors to `verdict`; warnings for a source that `old`, the stored policy, uses already, and
// if the policy is switched off.
void CheckSources(const api::Autoscaler& autoscaler, const api::Autoscaler& old, const Facts& facts,
                  Verdict& verdict);

}  // namespace ballast::webhooks
