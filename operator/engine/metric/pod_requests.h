// The pods' resource requests: the base of utilization.
//
// Errors: kInvalid if a pod lacks the request or the container, with upstream's text.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/base/result.h"
#include "api/decision/snapshot.h"
#include "operator/engine/metric/by_pod.h"
#include "operator/engine/quirks.h"

namespace ballast::engine {

// In thousandths of the resource's unit.
using Requests = ByPod<std::int64_t>;

// The request of each pod, whatever its state: of `container`, unless that is empty; else the
// pod-level request, with the quirk plus overhead, if the pod has pod-level requests; else the sum
// over containers and sidecars. While a resize is not done, what the pod still has counts if that
// is less, unless the quirk says otherwise. The error is about the first pod (in list order) that
// lacks the request.
Result<Requests> RequestsOf(const PodList& pods, std::string_view container,
                            std::string_view resource, const Quirks& quirks);

}  // namespace ballast::engine
