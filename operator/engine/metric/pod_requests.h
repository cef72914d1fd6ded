// What each pod asked for: the base of utilization.
//
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/base/result.h"
#include "api/decision/snapshot.h"
#include "operator/engine/metric/by_pod.h"

namespace ballast::engine {

// In thousandths of the resource's unit.
using Requests = ByPod<std::int64_t>;

// The requests of every pod, whatever its state: of `container` alone when it is not empty; else
// the pod-level request where the pod has any; else the sum over containers and sidecars. The first
// pod (in list order) that lacks the request is the error.
Result<Requests> RequestsOf(const PodList& pods, std::string_view container,
                            std::string_view resource);

}  // namespace ballast::engine
