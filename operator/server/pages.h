// What --serve-address serves: health and metrics, for kubelets and Prometheus, and the debug page.
//
// Thread-safety: any thread. All must outlive the handler.
#pragma once

#include "operator/net/http_server.h"
#include "operator/server/debug_page.h"
#include "operator/server/health.h"
#include "operator/telemetry/registry.h"

namespace ballast::server {

// /livez, /readyz and /healthz as health.h says; /metrics in OpenMetrics for who prefers it, else
// in Prometheus' text format; /debug as debug_page.h says; GET and HEAD only.
net::HttpHandler Pages(const Health& health, const telemetry::Registry& registry, LookInside look);

}  // namespace ballast::server
