// Which pods count: grouping by readiness and by whether they have a sample.
//
// Thread-safety: pure functions. They cannot fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "api/decision/snapshot.h"
#include "operator/engine/metric/samples.h"

namespace ballast::engine {

// Names point into the snapshot; those without a sample that counts are sorted.
struct PodGroups {
  std::int64_t ready = 0;                 // have a sample and count in full
  std::vector<std::string_view> unready;  // pending, or a cpu sample that cannot be trusted yet
  std::vector<std::string_view> missing;  // should have a sample and have none
  std::vector<std::string_view> ignored;  // being deleted, or failed
};

// How many pods are in each group.
struct PodCounts {
  std::size_t ready = 0;
  std::size_t unready = 0;
  std::size_t missing = 0;
  std::size_t ignored = 0;
};

// Sorts `pods` by upstream's rules. Only samples of the resource "cpu" are distrusted while a pod
// starts; pass "" for metrics that are no resource.
PodGroups GroupPods(const PodList& pods, const Samples& samples, std::string_view resource,
                    const Settings& settings, Time now);

// Pods that run and are Ready. Pods being deleted count, as upstream has it.
std::int64_t CountReady(const PodList& pods);

}  // namespace ballast::engine
