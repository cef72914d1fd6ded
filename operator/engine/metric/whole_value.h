// Computes the replica count for a metric that is one number for the whole workload (types Object
// and External), with a target for the whole (Value) or for each pod (AverageValue).
//
// Errors: ProposeForValue: kInvalid; the others none.
#pragma once

#include <cstdint>

#include "api/base/result.h"
#include "operator/engine/metric/context.h"

namespace ballast::engine {

// The count for a target for the whole; `usage` and `target` are in thousandths. It is the number
// of ready pods times usage / target, or the present count within tolerance; from zero replicas,
// usage / target. Without ready pods, see Quirks::unready_count_as_none. kInvalid: there are no
// pods, and the usage is not within tolerance.
Result<std::int32_t> ProposeForValue(const Context& context, std::int64_t usage,
                                     std::int64_t target);

// The result for a count that does not fit into int32.
enum class Overflow {
  kWraps,      // type Object: of an HPA the minimum of int32, as Go converts it
  kSaturates,  // type External: the maximum of int32
};

// The count that brings the usage per pod to `target`. Within tolerance, the present count, or with
// the quirk settles_on_existing_pods the number of existing pods (scale.status.replicas).
std::int32_t ProposeForAverage(const Context& context, std::int64_t usage, std::int64_t target,
                               Overflow overflow);

// The usage per existing pod for the status, in thousandths. Without pods: the whole usage, or with
// the quirk divides_by_no_pods the minimum of int64.
std::int64_t UsagePerPod(const Context& context, std::int64_t usage);

}  // namespace ballast::engine
