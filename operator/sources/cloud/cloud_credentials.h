// The credentials of requests to a source in a cloud: a signature of AWS, or a token of Google's or
// Azure's. What an identity service gives for a while is kept until shortly before its end.
//
// Thread-safety: any thread.
// Errors: kUnavailable: there is no credential, with the reason. None has a credential in it.
#pragma once

#include <memory>
#include <stop_token>

#include "api/base/result.h"
#include "operator/kube/auth/config.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"
#include "operator/sources/cloud/cloud_login.h"
#include "operator/sources/query_credentials.h"

namespace ballast::sources {

class CloudCredentials {
 public:
  virtual ~CloudCredentials() = default;
  // Those of this request, which must be sent as it is.
  virtual Result<QueryCredentials> For(const kube::Request& request) = 0;
};

// Null where there is no login. `connection`: that to the source, whose proxy leads to identity
// services too. `clock` must outlive what is returned.
std::unique_ptr<CloudCredentials> MakeCloudCredentials(const CloudLogin& login,
                                                       const kube::ClusterConfig& connection,
                                                       const process::Clock& clock,
                                                       std::stop_token stop);

}  // namespace ballast::sources
