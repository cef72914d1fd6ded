#include "operator/kube/http/shared_tls.h"

#include <openssl/ssl.h>

#include "operator/kube/http/tls.h"

namespace ballast::kube {

Result<std::shared_ptr<ssl_ctx_st>> SharedTls::Get(const ClusterConfig& config,
                                                   const std::string& peer) {
  // Before the context reads the files: if they change meanwhile, the next call makes another.
  ASSIGN_OR_RETURN(std::string material, ReadMaterial(config));
  const std::lock_guard lock(mutex_);
  if (context_ == nullptr || material != material_) {
    std::shared_ptr<ssl_ctx_st> made(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    TRY(ConfigureTls(made.get(), config, peer));
    context_ = std::move(made);
    material_ = std::move(material);
  }
  return context_;
}

}  // namespace ballast::kube
