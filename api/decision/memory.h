// Memory: what one evaluation leaves to the next: recent recommendations and scale events.
//
// The order of the lists matters: it is upstream's order of slots (see stabilization.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/base/time.h"

namespace ballast::engine {

struct Recommendation {
  Time time;
  std::int32_t replicas = 0;
  friend bool operator==(const Recommendation&, const Recommendation&) = default;
};

struct ScaleEvent {
  Time time;
  std::int32_t change = 0;  // always positive
  friend bool operator==(const ScaleEvent&, const ScaleEvent&) = default;
};

// Policies only: the newest sample of a metric that has already justified a scale-up.
struct UsedSample {
  std::string metric;  // the metric's identity within the policy
  Time timestamp;
  friend bool operator==(const UsedSample&, const UsedSample&) = default;
};

struct Memory {
  std::vector<Recommendation> recommendations;  // empty: never evaluated
  std::vector<ScaleEvent> scale_ups;
  std::vector<ScaleEvent> scale_downs;
  std::vector<UsedSample> used_samples;
  // Policies with spec.fallback only: when a metric last gave a value; absent: at the last
  // evaluation.
  std::optional<Time> no_value_since = {};
  // Policies only: since when a source of its metrics is suspect (Snapshot::suspect_source).
  std::optional<Time> suspect_since = {};
  std::string target = {};  // the uid of the target that all this is of; empty: not known
  friend bool operator==(const Memory&, const Memory&) = default;
};

}  // namespace ballast::engine
