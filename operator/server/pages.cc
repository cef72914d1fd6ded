#include "operator/server/pages.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace ballast::server {
namespace {

constexpr std::string_view kOpenMetrics = "application/openmetrics-text";
constexpr std::string_view kPlain = "text/plain";

// Removes the part before the next separator, and the separator, from `rest`; returns it trimmed.
std::string_view TakeUntil(char separator, std::string_view& rest) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  const std::size_t begin = std::min(part.find_first_not_of(' '), part.size());
  part.remove_prefix(begin);
  return part.substr(0, part.find_last_not_of(' ') + 1);
}

// The quality (0 to 1) that this Accept header gives to the type; 0: it does not name the type.
double QualityOf(std::string_view type, std::string_view accept) {
  double best = 0;
  while (!accept.empty()) {
    std::string_view entry = TakeUntil(',', accept);
    if (TakeUntil(';', entry) != type) {
      continue;
    }
    double quality = 1;
    while (!entry.empty()) {
      const std::string_view parameter = TakeUntil(';', entry);
      if (parameter.starts_with("q=")) {
        std::from_chars(parameter.data() + 2, parameter.data() + parameter.size(), quality);
      }
    }
    best = std::max(best, quality);
  }
  return best;
}

net::HttpResponse Metrics(const telemetry::Registry& registry, std::string_view accept) {
  const double open = QualityOf(kOpenMetrics, accept);
  if (open > 0 && open >= QualityOf(kPlain, accept)) {
    return {.body = registry.Print(telemetry::TextFormat::kOpenMetrics),
            .content_type = std::string(kOpenMetrics) + "; version=1.0.0; charset=utf-8"};
  }
  return {.body = registry.Print(),
          .content_type = std::string(kPlain) + "; version=0.0.4; charset=utf-8"};
}

}  // namespace

net::HttpHandler Pages(const Health& health, const telemetry::Registry& registry,
                       CollectDebugState look) {
  return [&health, &registry,
          look = std::move(look)](const net::HttpRequest& request) -> net::HttpResponse {
    if (request.method != "GET" && request.method != "HEAD") {
      return net::Refuse(405, "GET only");
    }
    if (request.path == "/metrics") {
      return Metrics(registry, request.accept);
    }
    if (request.path == "/debug") {
      return {.body = Print(look()), .content_type = "application/json"};
    }
    return health.Answer(request);
  };
}

}  // namespace ballast::server
