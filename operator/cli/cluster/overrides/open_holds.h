// The holds of an autoscaler, which `ballast pause` makes and `ballast resume` ends.
//
// Thread-safety: thread-safe if the transport is.
// Errors: the transport's, as sentences for people; kNotFound: the cluster has no overrides.
#pragma once

#include <vector>

#include "api/autoscaling/override.h"
#include "api/base/result.h"
#include "api/base/time.h"
#include "operator/cli/cluster/overrides/override_objects.h"
#include "operator/kube/transport.h"

namespace ballast::cli {

// Those that have begun and are not over, by its name or its labels, soonest end first. Where it
// cannot be read, those by labels are left out.
Result<std::vector<api::AutoScaleOverride>> OpenHolds(kube::Transport& transport,
                                                      const OverrideTarget& target, Time now);

}  // namespace ballast::cli
