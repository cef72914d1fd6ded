#include "operator/engine/metric/whole_value.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "operator/engine/metric/metric.h"
#include "operator/engine/metric/pod_groups.h"

namespace ballast::engine {
namespace {

constexpr std::int32_t kMaxReplicas = std::numeric_limits<std::int32_t>::max();

double Ratio(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) / static_cast<double>(b);
}

// That no pod is ready does not mean that there are too many, so a policy never scales in here.
std::int32_t ProposeWithoutReadyPods(const Context& context, double ratio) {
  if (context.quirks.unready_count_as_none) {
    return context.numbers().ToInt32(std::ceil(ratio * 0.0));  // NaN if the ratio is infinite
  }
  const double replicas = std::ceil(ratio * static_cast<double>(context.current));
  return std::max(context.current, context.numbers().ToInt32(replicas));
}

}  // namespace

Result<std::int32_t> ProposeForValue(const Context& context, std::int64_t usage,
                                     std::int64_t target) {
  const double ratio = Ratio(usage, target);
  if (context.current == 0) {
    return context.numbers().ToInt32(std::ceil(ratio));
  }
  if (context.tolerances.Within(ratio)) {
    return context.current;
  }
  if (context.pods.empty()) {
    return Problem(
        "unable to calculate ready pods: no pods returned by selector while calculating replica "
        "count");
  }
  const std::int64_t ready = CountReady(context.pods);
  if (ready == 0) {
    return ProposeWithoutReadyPods(context, ratio);
  }
  const double replicas = ratio * static_cast<double>(ready);
  return replicas > kMaxReplicas ? kMaxReplicas : context.numbers().ToInt32(std::ceil(replicas));
}

std::int32_t ProposeForAverage(const Context& context, std::int64_t usage, std::int64_t target,
                               Overflow overflow) {
  const double ratio = static_cast<double>(usage) /
                       (static_cast<double>(target) * static_cast<double>(context.status_replicas));
  if (context.tolerances.Within(ratio)) {
    return context.quirks.settles_on_existing_pods ? context.status_replicas : context.current;
  }
  const double replicas = std::ceil(Ratio(usage, target));
  return overflow == Overflow::kSaturates && replicas > kMaxReplicas
             ? kMaxReplicas
             : context.numbers().ToInt32(replicas);
}

std::int64_t UsagePerPod(const Context& context, std::int64_t usage) {
  if (context.status_replicas == 0 && !context.quirks.divides_by_no_pods) {
    return usage;  // for want of an average, the whole
  }
  return context.numbers().ToInt64(std::ceil(Ratio(usage, context.status_replicas)));
}

}  // namespace ballast::engine
