// The parts of URL handling that talking to an API server needs.
//
// Errors: ParseEndpoint returns kInvalid; the message never shows a user or password.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/base/result.h"
#include "operator/kube/transport.h"

namespace ballast::kube {

// Where a server listens, the parts of "https://[fd00::1]:6443/clusters/a".
struct Endpoint {
  bool tls = true;
  std::string host;    // without brackets
  std::string port;    // decimal
  std::string prefix;  // "/clusters/a", or empty

  std::uint16_t PortNumber() const;
  bool IsIpv6() const { return host.find(':') != std::string::npos; }
  // "host:port", or "[host]:port" for an IPv6 address.
  std::string Authority() const;
  // The same without the port that the scheme has anyhow, as servers expect and sign it.
  std::string HostHeader() const;
};

// kInvalid unless it is http:// or https:// with a host, which in brackets is an IPv6 address, and
// without user, query, fragment, zone and characters that a URL has only escaped.
Result<Endpoint> ParseEndpoint(std::string_view url);

// Percent-escapes all but RFC 3986's unreserved characters.
std::string Escape(std::string_view text);

// The target of the request line: prefix, path and query.
std::string PrintTarget(const Endpoint& endpoint, const Request& request);

}  // namespace ballast::kube
