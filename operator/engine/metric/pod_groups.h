// Which pods count for a metric: groups them by readiness (the first minutes of a pod's cpu do not
// count) and by whether they have a sample. pod_average.cc says what becomes of each group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "api/decision/snapshot.h"
#include "operator/engine/metric/samples.h"

namespace ballast::engine {

// Names point into the snapshot; `unready` and `ignored` are sorted.
struct PodGroups {
  std::int64_t ready = 0;                 // have a sample that counts
  std::vector<std::string_view> unready;  // Pending, or with a cpu sample that is not trusted
  std::vector<std::string_view> missing;  // neither of these, and without a sample
  std::vector<std::string_view> ignored;  // being deleted, or Failed
};

// The number of pods in each group.
struct PodCounts {
  std::size_t ready = 0;
  std::size_t unready = 0;
  std::size_t missing = 0;
  std::size_t ignored = 0;
};

// Groups `pods` as upstream's groupPods. Only samples of the resource "cpu" depend on the pod's
// readiness; `resource` is "" for metrics of type Pods.
PodGroups GroupPods(const PodList& pods, const Samples& samples, std::string_view resource,
                    const Settings& settings, Time now);

// The number of pods that are Running and Ready. Pods being deleted count, as in upstream.
std::int64_t CountReady(const PodList& pods);

}  // namespace ballast::engine
