// What the cluster around an autoscaler makes of it: rivals, its target, quotas.
//
// Thread-safety: pure function.
#pragma once

#include "api/autoscaling/types.h"
#include "webhooks/lookup.h"
#include "webhooks/review.h"

namespace ballast::webhooks {

// Whether what is wrong around the autoscaler refuses it, or is only told: an edit that has nothing
// to do with the target must go through, and so must whatever stops the scaling.
enum class OnTrouble { kRefuse, kWarn };

// Adds errors and warnings to `verdict`.
void CheckCluster(const api::Autoscaler& autoscaler, const Facts& facts, OnTrouble on_trouble,
                  Verdict& verdict);

}  // namespace ballast::webhooks
