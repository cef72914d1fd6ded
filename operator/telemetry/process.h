// What Prometheus' own clients tell of every process: process_cpu_seconds_total,
// process_resident_memory_bytes and so on, from /proc.
//
// Thread-safety: any thread.
#pragma once

#include "operator/telemetry/registry.h"

namespace ballast::telemetry {

// Read anew for each Print(). What cannot be read is left out.
void AddProcessMetrics(Registry& registry);

}  // namespace ballast::telemetry
