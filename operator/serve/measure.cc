#include "operator/serve/measure.h"

#include <chrono>
#include <string>
#include <utility>

namespace ballast::serve {

net::HttpHandler Measure(net::HttpHandler handler, telemetry::Registry& registry) {
  const auto requests = registry.Counters("controller_runtime_webhook_requests_total",
                                          "Total number of admission requests by HTTP status code.",
                                          {"webhook", "code"});
  const auto seconds =
      registry.Histograms("controller_runtime_webhook_latency_seconds",
                          "Histogram of the latency of processing admission requests.",
                          {0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10}, {"webhook"});
  const auto in_flight = registry
                             .Gauges("controller_runtime_webhook_requests_in_flight",
                                     "Current number of admission requests being served.")
                             .With({});
  return [=, handler = std::move(handler)](const net::HttpRequest& request) {
    in_flight.Add(1);
    const auto began = std::chrono::steady_clock::now();
    net::HttpResponse response = handler(request);
    const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - began;
    in_flight.Add(-1);
    const std::string webhook = response.status == 404 ? "other" : request.path;
    seconds.With({webhook}).Observe(lasted.count());
    requests.With({webhook, std::to_string(response.status)}).Add();
    return response;
  };
}

}  // namespace ballast::serve
