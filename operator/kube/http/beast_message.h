// Requests as Boost.Beast sends them, and limits on responses. Include it only in sources that
// precompile Beast.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <utility>

#include "operator/kube/http/api_endpoint.h"
#include "operator/kube/transport.h"
#include "operator/net/beast.h"

namespace ballast::kube {

inline constexpr std::uint32_t kMaxHeader = 64 * 1024;

// The message as it is sent.
template <typename Body>
std::string PrintMessage(const boost::beast::http::request<Body>& message) {
  std::ostringstream text;
  text << message;
  return std::move(text).str();
}

// Makes the message for `request`, without its body.
template <typename Body>
boost::beast::http::request<Body> Compose(const ApiEndpoint& server, const Request& request,
                                          const std::string& token) {
  std::string target = PrintTarget(server.endpoint, request);
  if (server.proxy && !server.endpoint.tls) {
    target = "http://" + server.endpoint.Authority() + target;  // a proxy needs the absolute form
  }
  boost::beast::http::request<Body> message(
      boost::beast::http::string_to_verb(Name(request.method)), target, 11);
  message.set(boost::beast::http::field::host, server.endpoint.HostHeader());
  for (const auto& [name, value] : server.Headers(request, token)) {
    message.insert(name, value);
  }
  return message;
}

}  // namespace ballast::kube
