#include "operator/server/instrumented_handler.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace ballast::server {

net::HttpHandler Instrument(net::HttpHandler handler, telemetry::Registry& registry,
                            const process::Clock& clock, const std::vector<std::string>& paths) {
  const auto requests = registry.Counters("controller_runtime_webhook_requests_total",
                                          "Total number of admission requests by HTTP status code.",
                                          {"webhook", "code"});
  const auto seconds =
      registry.Histograms("controller_runtime_webhook_latency_seconds",
                          "Histogram of the latency of processing admission requests.",
                          {0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10}, {"webhook"});
  const auto in_flight =
      registry.Gauges("controller_runtime_webhook_requests_in_flight",
                      "Current number of admission requests being served.", {"webhook"});
  const auto panics =
      registry
          .Counters("controller_runtime_webhook_panics_total", "Total number of webhook panics.")
          .With({});
  for (const std::string& path : paths) {
    requests.With({path, "200"});
    seconds.With({path});
    in_flight.With({path});
  }
  return [=, clock = &clock, handler = std::move(handler)](const net::HttpRequest& request) {
    const bool known = std::find(paths.begin(), paths.end(), request.path) != paths.end();
    const std::string webhook = known ? request.path : "other";
    const auto now_in_flight = in_flight.With({webhook});
    now_in_flight.Add(1);
    const auto began = clock->Steady();
    const auto count = [&](int status) {
      const std::chrono::duration<double> lasted = clock->Steady() - began;
      now_in_flight.Add(-1);
      seconds.With({webhook}).Observe(lasted.count());
      requests.With({webhook, std::to_string(status)}).Add();
    };
    try {
      net::HttpResponse response = handler(request);
      count(response.status);
      return response;
    } catch (const std::exception&) {
      panics.Add();
      count(500);  // the server's response to an exception
      throw;
    }
  };
}

}  // namespace ballast::server
