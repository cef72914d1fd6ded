// Metrics of the work queue and of leader election, under the names of client-go and
// controller-runtime.
//
// Thread-safety: any thread.
#pragma once

#include <string>

#include "operator/telemetry/registry.h"

namespace ballast::runtime {

struct WorkQueueMetrics {
  WorkQueueMetrics() = default;  // counts nothing
  WorkQueueMetrics(telemetry::Registry& registry, const std::string& name);

  telemetry::Gauge depth;
  telemetry::Counter adds;
  telemetry::Counter retries;
  telemetry::Histogram waited_seconds;
  telemetry::Histogram worked_seconds;
  telemetry::Gauge unfinished_seconds;  // of all keys in work, together
  telemetry::Gauge longest_seconds;     // of the key that has been in work for longest
};

struct LeaderElectionMetrics {
  LeaderElectionMetrics() = default;  // counts nothing
  LeaderElectionMetrics(telemetry::Registry& registry, const std::string& name);

  telemetry::Gauge master_status;
  telemetry::Counter slowpath;  // renewals that needed to read the lease again
};

}  // namespace ballast::runtime
