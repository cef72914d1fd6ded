#include "operator/app/pages_part.h"

#include <utility>

#include "operator/process/log.h"
#include "operator/server/pages.h"

namespace ballast::app {

PagesPart::PagesPart(std::string address, const server::Health& health,
                     const telemetry::Registry& registry, server::CollectDebugState look)
    : address_(std::move(address)), handler_(server::Pages(health, registry, std::move(look))) {}

process::Manager::Part PagesPart::Part() {
  return {"pages", [this](const std::stop_token&) { return Start(); },
          [this] { server_->Stop({}); }};
}

Status PagesPart::Start() {
  auto server = net::HttpServer::Start(address_, handler_, {.name = "pages"});
  if (!server.ok()) {
    return server.error().In("--serve-address");
  }
  server_ = std::move(server).value();
  log::Info("serving health and metrics", {{"address", server_->address()}});
  return Done{};
}

}  // namespace ballast::app
