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

// Whether the override is about it, by its name or its labels. Where it cannot be read, nobody can
// tell which labels it has, so each by labels may be.
bool MayBeAbout(const api::AutoScaleOverride& override, const OverrideTarget& target);

// Those that may be about it, have begun and are not over, soonest end first. What the operator
// says of that counts more than the caller's clock.
Result<std::vector<api::AutoScaleOverride>> OpenHolds(kube::Transport& transport,
                                                      const OverrideTarget& target, Time now);

}  // namespace ballast::cli
