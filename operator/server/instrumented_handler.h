// Counts what a webhook is asked, under controller-runtime's names.
//
// Thread-safety: as the handler's.
#pragma once

#include <string>
#include <vector>

#include "operator/net/http_server.h"
#include "operator/telemetry/registry.h"

namespace ballast::server {

// The same handler, counted: controller_runtime_webhook_requests_total{webhook,code},
// _latency_seconds{webhook}, _requests_in_flight{webhook}, _panics_total. The webhook is the path,
// if it is one of `paths`, which are counted from zero; else "other", for anybody may ask for
// anything. What a handler throws is counted as the 500 that the server makes of it, and passed on.
net::HttpHandler Instrument(net::HttpHandler handler, telemetry::Registry& registry,
                            const std::vector<std::string>& paths);

}  // namespace ballast::server
