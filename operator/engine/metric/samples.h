// What the metrics APIs answered, as the numbers that decide: one sample for each pod.
//
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/base/result.h"
#include "api/decision/snapshot.h"
#include "operator/engine/metric/by_pod.h"

namespace ballast::engine {

struct Sample {
  std::int64_t milli = 0;  // thousandths of the metric's unit
  Time timestamp;
  Duration window;  // what the sample averages over
};

using Samples = ByPod<Sample>;

// Each pod's use of `resource`: of one container, or of all when `container` is empty. A pod is
// left out when the container, or the resource in any container that counts, is missing from the
// answer.
Samples ResourceSamples(const PodMetricsList& answer, std::string_view container,
                        std::string_view resource);

// The samples of a custom metric that describes pods.
Samples PodSamples(const MetricValueList& answer);

// The newest timestamp of an answer; absent when it has none.
std::optional<Time> NewestTimestamp(const MetricAnswer& answer);

}  // namespace ballast::engine
