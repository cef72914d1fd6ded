// Instruments a webhook's handler with controller-runtime's metrics.
//
// Thread-safety: any thread, if `handler` allows it.
// Errors: none of its own; a std::exception that `handler` throws is counted and rethrown.
#pragma once

#include <string>
#include <vector>

#include "operator/net/http_server.h"
#include "operator/process/clock.h"
#include "operator/telemetry/registry.h"

namespace ballast::server {

// `handler` with controller_runtime_webhook_requests_total{webhook,code},
// _latency_seconds{webhook}, _requests_in_flight{webhook} and _panics_total. The label `webhook` is
// the path if it is one of `paths`, whose series exist from the start; any other path is "other",
// because clients may request anything. A std::exception is counted as a panic and as the 500 that
// the server responds with. `clock` must outlive what is returned.
net::HttpHandler Instrument(net::HttpHandler handler, telemetry::Registry& registry,
                            const process::Clock& clock, const std::vector<std::string>& paths);

}  // namespace ballast::server
