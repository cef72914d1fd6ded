// Asks a cloud's identity service for a credential.
//
// Thread-safety: any thread.
// Errors: kUnavailable: it gave none, with what it said instead, less the request's own secrets.
#pragma once

#include <cstdint>
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

// That there is no credential in its answer, as the decoder says.
Error UnreadableCredential(const IdentityService& service, const Status& status);

// A number of seconds in an answer, within what a time can be.
std::int64_t WholeSeconds(double given);

}  // namespace ballast::sources
