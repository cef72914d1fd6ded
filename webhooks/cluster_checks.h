// Checks an autoscaler against the cluster around it: rivals, its target, quotas.
//
// Errors: none returned; everything that is wrong is in the Verdict.
#pragma once

#include "api/autoscaling/types.h"
#include "webhooks/lookup.h"
#include "webhooks/review.h"

namespace ballast::webhooks {

// Whether a problem around the autoscaler denies it or is only a warning. An edit that does not
// affect the target must be allowed, and so must any that stops the scaling.
enum class OnTrouble { kRefuse, kWarn };

// Adds errors and warnings to `verdict`.
void CheckCluster(const api::Autoscaler& autoscaler, const Facts& facts, OnTrouble on_trouble,
                  Verdict& verdict);

}  // namespace ballast::webhooks
