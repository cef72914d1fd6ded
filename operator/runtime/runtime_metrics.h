// What the runtime counts, under the names that client-go and controller-runtime use.
//
// Thread-safety: as telemetry's handles.
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
  telemetry::Gauge unfinished_seconds;  // of what is in work, together
  telemetry::Gauge longest_seconds;     // the longest of these
};

struct LeaderElectionMetrics {
  LeaderElectionMetrics() = default;  // counts nothing
  LeaderElectionMetrics(telemetry::Registry& registry, const std::string& name);

  telemetry::Gauge master_status;
  telemetry::Counter slowpath;  // renewals that needed to read the lease again
};

}  // namespace ballast::runtime
