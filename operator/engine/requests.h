// What each pod asked for: the base of utilization.
//
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "api/result.h"
#include "operator/engine/snapshot.h"

namespace ballast::engine {

// By pod name (pointing into the snapshot), in thousandths of the resource's unit.
using Requests = std::unordered_map<std::string_view, std::int64_t>;

// The requests of every pod, whatever its state: of `container` alone when it is not empty; else
// the pod-level request where the pod has any; else the sum over containers and sidecars. The first
// pod (in list order) that lacks the request is the error.
Result<Requests> RequestsOf(const PodList& pods, std::string_view container,
                            std::string_view resource);

}  // namespace ballast::engine
