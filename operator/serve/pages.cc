#include "operator/serve/pages.h"

namespace ballast::serve {

net::HttpHandler Pages(const Health& health, const telemetry::Registry& registry) {
  return [&health, &registry](const net::HttpRequest& request) -> net::HttpResponse {
    if (request.method != "GET" && request.method != "HEAD") {
      return {.status = 405, .body = "GET only\n"};
    }
    if (request.path == "/metrics") {
      return {.body = registry.Print(), .content_type = "text/plain; version=0.0.4; charset=utf-8"};
    }
    return health.Answer(request);
  };
}

}  // namespace ballast::serve
