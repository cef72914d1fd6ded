// The server that a Transport talks to: what the unary and the streaming client both need to know.
//
// Thread-safety: plain values.
#pragma once

#include <string>

#include "operator/kube/config.h"
#include "operator/kube/url.h"

namespace ballast::kube {

struct Server {
  ClusterConfig config;
  Endpoint endpoint;  // of config.server
  std::string user_agent;

  // The name that the server's certificate must have.
  const std::string& ExpectedName() const {
    return config.tls_server_name.empty() ? endpoint.host : config.tls_server_name;
  }
};

}  // namespace ballast::kube
