// Health, metrics and the debug page as a part of the program: the first to start and the last to
// stop, so that it tells what the others wait for.
//
// Thread-safety: as net::HttpServer's. Failure modes: an address that cannot be had ends the
// program.
#pragma once

#include <memory>
#include <string>

#include "api/base/result.h"
#include "operator/net/http_server.h"
#include "operator/runtime/manager.h"
#include "operator/server/debug_page.h"
#include "operator/server/health.h"
#include "operator/telemetry/registry.h"

namespace ballast::app {

class PagesPart {
 public:
  // `address`: "HOST:PORT". All must outlive this.
  PagesPart(std::string address, const server::Health& health, const telemetry::Registry& registry,
            server::LookInside look);

  runtime::Manager::Part Part();

 private:
  Status Start();

  const std::string address_;
  const net::HttpHandler handler_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace ballast::app
