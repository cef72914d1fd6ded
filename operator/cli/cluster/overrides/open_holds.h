// The holds of an autoscaler, which `ballast pause` makes and `ballast resume` ends.
//
// Thread-safety: thread-safe if the client is.
// Errors: the client's, as sentences for people; kNotFound: the cluster has no overrides.
#pragma once

#include <vector>

#include "api/autoscaling/override.h"
#include "api/base/result.h"
#include "api/base/time.h"
#include "api/kubernetes/meta.h"
#include "operator/kube/client.h"

namespace ballast::cli {

// Those that have begun and are not over, soonest end first.
Result<std::vector<api::AutoScaleOverride>> OpenHolds(kube::Client& client,
                                                      const api::ObjectReference& target, Time now);

}  // namespace ballast::cli
