#include "operator/kube/http/client_metrics.h"

namespace ballast::kube {

ClientMetrics::ClientMetrics(telemetry::Registry& registry)
    : requests(registry.Counters("rest_client_requests_total",
                                 "Number of HTTP requests, partitioned by status code, method, and "
                                 "host.",
                                 {"code", "method", "host"})),
      retries(registry.Counters("rest_client_request_retries_total",
                                "Number of request retries, partitioned by status code, verb, and "
                                "host.",
                                {"code", "verb", "host"})),
      seconds(registry.Histograms("rest_client_request_duration_seconds",
                                  "Request latency in seconds. Broken down by verb, and host.",
                                  {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60},
                                  {"verb", "host"})) {}

}  // namespace ballast::kube
