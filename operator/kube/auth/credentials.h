// The credentials to present to the server now: a token, from text or from a file that is read
// again as it rotates; a client certificate; or the output of a credential plugin.
//
// As in kubectl, a configured token takes precedence over the plugin.
//
// Thread-safety: any thread.
// Errors: those of TokenSource and ExecPlugin. No secret appears in one.
#pragma once

#include <chrono>
#include <memory>

#include "api/base/result.h"
#include "operator/kube/auth/config.h"
#include "operator/kube/auth/exec_plugin.h"
#include "operator/kube/auth/token_source.h"

namespace ballast::kube {

class CredentialSource {
 public:
  explicit CredentialSource(const ClusterConfig& config);

  // kTimeout: a plugin has not ended by the deadline; it keeps running.
  Result<Credentials> Get(std::chrono::steady_clock::time_point deadline);

  // Call it after the server has rejected `used`. Returns whether there are now other credentials
  // to try.
  bool Renew(const Credentials& used, std::chrono::steady_clock::time_point deadline);

 private:
  const Material certificate_;
  const Material key_;
  TokenSource token_;
  std::unique_ptr<ExecPlugin> plugin_;  // null: not configured, or there is a token
};

}  // namespace ballast::kube
