// Counts what a webhook is asked, under controller-runtime's names.
//
// Thread-safety: as the handler's.
#pragma once

#include "operator/net/http_server.h"
#include "operator/telemetry/metrics.h"

namespace ballast::serve {

// The same handler, counted: controller_runtime_webhook_requests_total{webhook,code},
// _latency_seconds{webhook}, _requests_in_flight. The webhook is the path; "other" when the answer
// is 404, for anybody may ask for anything.
net::HttpHandler Measure(net::HttpHandler handler, telemetry::Registry& registry);

}  // namespace ballast::serve
