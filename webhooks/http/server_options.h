// The limits of the webhook's HTTP server.
//
// Thread-safety: any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "operator/net/http_server.h"
#include "operator/net/tls_identity.h"
#include "webhooks/limits.h"

namespace ballast::webhooks {

inline net::HttpServerOptions ServerOptions(std::shared_ptr<const net::TlsIdentity> identity) {
  constexpr std::size_t kConnections = 256;
  return {.name = "webhook",
          .identity = std::move(identity),
          .workers = 8,
          .max_connections = kConnections,
          // A connection has one request at a time, and none is refused because of others.
          .max_in_flight = kConnections,
          .body_limit = kMaxReview};
}

}  // namespace ballast::webhooks
