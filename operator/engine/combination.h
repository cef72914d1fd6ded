// Several metrics, one count: the highest proposal wins.
//
// Thread-safety: pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/decision/decision.h"
#include "operator/engine/metric/metric.h"
#include "operator/engine/trace.h"

namespace ballast::engine {

struct Combination {
  // The highest proposal; absent when the metrics as a whole failed: all of them did, or some did
  // and the others would scale in.
  std::optional<std::int32_t> replicas;
  std::string metric;                       // whose proposal it is
  std::vector<api::MetricStatus> statuses;  // one for each metric; empty type: it failed
  std::optional<MetricFailure> failure;     // the first one
  std::string error;                        // about all failures together; empty without one
  std::vector<Event> events;                // one for each failure
  std::vector<std::optional<std::int32_t>> proposals;  // one for each metric; nullopt: it failed
};

Combination CombineMetrics(const Context& context, Trace& trace);

}  // namespace ballast::engine
