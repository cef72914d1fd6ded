// How the webhook's server is bounded.
//
// Thread-safety: any thread.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "operator/net/http_server.h"
#include "operator/net/tls_identity.h"
#include "webhooks/limits.h"

namespace ballast::webhooks {

// The process gives the memory of a long review back as soon as that is answered. Otherwise glibc
// keeps, for each thread, as much as twice the largest buffer that was ever freed.
inline void GiveLargeBuffersBack() {
  constexpr int kLarge = 128 * 1024;
  mallopt(M_MMAP_THRESHOLD, kLarge);
}

inline net::HttpServerOptions ServerOptions(std::shared_ptr<const net::TlsIdentity> identity) {
  constexpr std::size_t kConnections = 256;
  return {.name = "webhook",
          .identity = std::move(identity),
          .workers = 8,
          .max_connections = kConnections,
          // A connection has one request at a time, and none is refused for those of others.
          .max_in_flight = kConnections,
          .body_limit = kMaxReview};
}

}  // namespace ballast::webhooks
