// The API server as a Transport reaches it: its address, proxy, TLS and the headers of each
// request, for unary calls and streams alike.
//
// Thread-safety: plain values; copies share their address and TLS context.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "operator/kube/auth/config.h"
#include "operator/kube/http/kept_address.h"
#include "operator/kube/http/shared_tls.h"
#include "operator/kube/url.h"

namespace ballast::kube {

struct ApiEndpoint {
  ClusterConfig config;
  Endpoint endpoint;              // of config.server
  std::optional<Endpoint> proxy;  // of config.proxy_url
  std::string user_agent;
  std::shared_ptr<KeptAddress> address;  // the proxy's, or else the server's
  std::shared_ptr<SharedTls> tls = std::make_shared<SharedTls>();

  // The name or address that the server's certificate must have.
  const std::string& ExpectedName() const {
    return config.tls_server_name.empty() ? endpoint.host : config.tls_server_name;
  }

  // The headers of a request: user agent, credentials, impersonation, accepted content type, and
  // the request's own. A name may occur more than once: the API server expects each group on a line
  // of its own.
  std::vector<std::pair<std::string, std::string>> Headers(const Request& request,
                                                           const std::string& token) const;
};

}  // namespace ballast::kube
