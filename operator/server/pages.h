// The pages of --serve-address: health for kubelets, metrics for Prometheus, and the debug page.
//
// Thread-safety: any thread.
// Errors: none; they are HTTP responses (404, 405, 503).
#pragma once

#include "operator/net/http_server.h"
#include "operator/server/debug_page.h"
#include "operator/server/health.h"
#include "operator/telemetry/registry.h"

namespace ballast::server {

// Serves /livez, /readyz and /healthz (health.h), /debug (debug_page.h), and /metrics, in
// OpenMetrics for clients that prefer it, else in Prometheus' text format. GET and HEAD only.
// `health` and `registry` must outlive the handler.
net::HttpHandler Pages(const Health& health, const telemetry::Registry& registry,
                       CollectDebugState look);

}  // namespace ballast::server
