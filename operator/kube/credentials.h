// As whom we speak to the server now: a token, from text or from a file that is read again as it
// rotates; a client certificate; or what a credential plugin gives.
//
// As in kubectl, a configured token makes the plugin superfluous. No secret appears in an error.
// Thread-safety: any thread.
#pragma once

#include <chrono>
#include <memory>

#include "api/base/result.h"
#include "operator/kube/config.h"
#include "operator/kube/exec_plugin.h"
#include "operator/kube/token_source.h"

namespace ballast::kube {

class CredentialSource {
 public:
  explicit CredentialSource(const ClusterConfig& config);

  // kTimeout: a plugin has not ended by the deadline; it goes on.
  Result<Credentials> Get(std::chrono::steady_clock::time_point deadline);

  // The server refused `used`: whether there are others to try, had just now.
  bool Renew(const Credentials& used, std::chrono::steady_clock::time_point deadline);

 private:
  const Material certificate_;
  const Material key_;
  TokenSource token_;
  std::unique_ptr<ExecPlugin> plugin_;  // null: not used
};

}  // namespace ballast::kube
