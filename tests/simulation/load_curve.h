// The load of one policy over time, which is known in advance, and what it is like for a policy
// that scales on it: the recommendation of any moment, without an operator.
//
// Thread-safety: plain values.
// Errors: none.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/simulation/faults.h"
#include "tests/simulation/fibers.h"

namespace ballast::simulation {

enum class MetricKind {
  kExternal,
  kUtilization,
  kResource,
  kContainerResource,
  kPodMetrics,
  kObject,
  kPrometheus,
};
inline constexpr std::array<const char*, 7> kMetricKinds{
    "external", "utilization", "resource", "container resource", "pods", "object", "prometheus"};

// Pods are ready at most that long after the count has changed; a sample of CPU counts a window
// later.
inline constexpr Nanoseconds kReadyWithin = 45 * kSecond;
inline constexpr Nanoseconds kMetricWindow = 30 * kSecond;

struct Load {
  // What the policy is like.
  std::string name;
  Nanoseconds period = 15 * kSecond;
  Nanoseconds window = 300 * kSecond;  // of scaling down
  std::int64_t max_ups = 0;            // replicas that may be added in a minute; 0: any number
  Nanoseconds sample_every = 0;        // samples of the metric are so far apart; 0: at each request
  Nanoseconds ahead = 0;               // by how much their times are ahead
  MetricKind metric = MetricKind::kExternal;

  // Whether the metric is that of each pod.
  bool per_pod() const {
    return metric >= MetricKind::kUtilization && metric <= MetricKind::kPodMetrics;
  }
  // For how long after pods came or went some of them do not count.
  Nanoseconds settling() const {
    return per_pod() ? kReadyWithin + kMetricWindow + 2 * sample_every : 0;
  }

  // The replicas that the load needs, constant from each moment to the next.
  struct Level {
    Nanoseconds from;
    std::int64_t replicas;
  };
  std::vector<Level> levels;

  std::int64_t At(Nanoseconds time) const {
    const auto next = std::upper_bound(
        levels.begin(), levels.end(), time,
        [](Nanoseconds moment, const Level& level) { return moment < level.from; });
    return std::prev(next)->replicas;
  }
  // When the level of that moment began.
  Nanoseconds Since(Nanoseconds time) const {
    const auto next = std::upper_bound(
        levels.begin(), levels.end(), time,
        [](Nanoseconds moment, const Level& level) { return moment < level.from; });
    return std::prev(next)->from;
  }
  // The time of the newest sample at that moment.
  Nanoseconds SampledAt(Nanoseconds time) const {
    return sample_every == 0 ? time : time - time % sample_every;
  }
};

// Whether a policy with the default tolerance of 10 % leaves `replicas` as they are.
inline bool Suffice(std::int64_t replicas, std::int64_t needed) {
  return replicas == needed || (replicas > 0 && std::abs(10 * (needed - replicas)) <= replicas);
}

}  // namespace ballast::simulation
