#include "operator/kube/auth/credentials.h"

namespace ballast::kube {

CredentialSource::CredentialSource(const ClusterConfig& config)
    : certificate_(config.client_certificate), key_(config.client_key), token_(config.token) {
  if (config.exec && config.token.empty()) {
    plugin_ = std::make_unique<ExecPlugin>(config);
  }
}

Result<Credentials> CredentialSource::Get(std::chrono::steady_clock::time_point deadline) {
  if (plugin_ != nullptr) {
    return plugin_->Get(deadline);
  }
  ASSIGN_OR_RETURN(std::string token, token_.Get());
  return Credentials{std::move(token), certificate_, key_};
}

bool CredentialSource::Renew(const Credentials& used,
                             std::chrono::steady_clock::time_point deadline) {
  return plugin_ != nullptr ? plugin_->Renew(used, deadline) : token_.Renew(used.token);
}

}  // namespace ballast::kube
