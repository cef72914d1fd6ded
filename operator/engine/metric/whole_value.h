// The replica count for a metric that is one number for the whole workload (types Object and
// External): against a target for the whole, or against a target for each pod.
//
// Thread-safety: pure functions.
#pragma once

#include <cstdint>

#include "api/base/result.h"
#include "operator/engine/metric/context.h"

namespace ballast::engine {

// The count that brings `usage` to `target` (thousandths), the target being for the whole: so many
// times the pods that are ready. From zero replicas, the bare ratio. Fails when there are replicas
// but no pods.
Result<std::int32_t> ProposeForValue(const Context& context, std::int64_t usage,
                                     std::int64_t target);

// What becomes of a count beyond int32.
enum class Overflow {
  kWraps,      // type Object: Go's conversion, the minimum of int32
  kSaturates,  // type External: the maximum of int32
};

// The count that brings `usage` to `target` a pod; the pods that exist (scale.status.replicas) stay
// as they are within tolerance.
std::int32_t ProposeForAverage(const Context& context, std::int64_t usage, std::int64_t target,
                               Overflow overflow);

// `usage` for each pod that exists, as the status shows it, in thousandths.
std::int64_t UsagePerPod(const Context& context, std::int64_t usage);

}  // namespace ballast::engine
