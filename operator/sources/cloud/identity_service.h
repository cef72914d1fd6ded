// Asks a cloud's identity service for a credential.
//
// Thread-safety: any thread.
// Errors: kUnavailable: it gave none, with what it said instead, less the request's own secrets.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/json/json.h"
#include "operator/kube/transport.h"

namespace ballast::sources {

struct IdentityService {
  std::string url;
  std::string proxy_url;  // empty: none
  std::stop_token stop;
};

// Its answer, an object. `secrets`: those in the request.
Result<json::Document> AskIdentityService(const IdentityService& service, kube::Request request,
                                          const std::vector<std::string>& secrets);

}  // namespace ballast::sources
