// Health, metrics and the debug page as a part of the program. It starts first and stops last, so
// that it shows what the other parts are waiting for.
//
// Thread-safety: owning thread only; the server calls the pages on its own threads.
// Errors: starting: the address cannot be bound, which ends the program.
#pragma once

#include <memory>
#include <string>

#include "api/base/result.h"
#include "operator/net/http_server.h"
#include "operator/process/manager.h"
#include "operator/server/debug_page.h"
#include "operator/server/health.h"
#include "operator/telemetry/registry.h"

namespace ballast::app {

class PagesPart {
 public:
  // `address`: "HOST:PORT". The other arguments must outlive the PagesPart.
  PagesPart(std::string address, const server::Health& health, const telemetry::Registry& registry,
            server::CollectDebugState look);

  process::Manager::Part Part();

 private:
  Status Start();

  const std::string address_;
  const net::HttpHandler handler_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace ballast::app
