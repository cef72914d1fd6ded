// The process metrics of Prometheus' own client libraries, from /proc: process_cpu_seconds_total,
// process_resident_memory_bytes and so on.
//
// Thread-safety: any thread.
// Errors: none; a metric that cannot be read keeps its last value, which is 0 at first.
#pragma once

#include "operator/telemetry/registry.h"

namespace ballast::telemetry {

// Adds the metrics, which are read for each Print(), except for the start time.
void AddProcessMetrics(Registry& registry);

}  // namespace ballast::telemetry
