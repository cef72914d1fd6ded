// Converts the answers of the metrics APIs to one sample for each pod.
//
// Errors: none; a pod whose usage is incomplete has no sample.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/base/result.h"
#include "api/decision/snapshot.h"
#include "operator/engine/metric/by_pod.h"
#include "operator/engine/numbers.h"

namespace ballast::engine {

struct Sample {
  std::int64_t milli = 0;  // thousandths of the metric's unit
  Time timestamp;
  Duration window;  // the time that the sample averages over
};

using Samples = ByPod<Sample>;

// Each pod's usage of `resource`: of one container, or of all if `container` is empty. A pod is
// left out if the answer lacks its containers, `container`, or the resource in one that counts.
Samples ResourceSamples(const PodMetricsList& answer, std::string_view container,
                        std::string_view resource, Numbers numbers = Numbers(kNoQuirks));

// The samples of a custom metric of pods.
Samples PodSamples(const MetricValueList& answer, Numbers numbers = Numbers(kNoQuirks));

// The newest and the oldest timestamp of an answer; absent if it has none.
std::optional<Time> NewestTimestamp(const MetricAnswer& answer);
// The newest one that is not after `latest`.
std::optional<Time> NewestTimestamp(const MetricAnswer& answer, Time latest);
std::optional<Time> OldestTimestamp(const MetricAnswer& answer);

}  // namespace ballast::engine
