// Signs requests as AWS wants it, with Signature Version 4.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/base/time.h"
#include "operator/kube/transport.h"
#include "operator/kube/url.h"

namespace ballast::sources {

struct AwsKeys {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;  // of temporary keys; empty: these are none
};

struct AwsScope {
  std::string region;
  std::string service;
};

// The headers to add to the request: its date, the session token if there is one, and the signature
// of method, host, path, query, these headers and the body.
std::vector<std::pair<std::string, std::string>> AwsHeaders(const kube::Endpoint& endpoint,
                                                            const kube::Request& request,
                                                            const AwsKeys& keys,
                                                            const AwsScope& scope, Time now);

}  // namespace ballast::sources
