#include "operator/net/tls_identity.h"

#include <openssl/ssl.h>

#include <utility>

#include "operator/net/pem.h"

namespace ballast::net {

Status TlsIdentity::Set(const std::string& chain, const std::string& key) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);  // an idle connection keeps no buffer

  const auto certificates = ReadCertificates(chain);
  if (!certificates.ok()) {
    return certificates.error().In("certificate");
  }
  const auto parsed = ReadKey(key);
  if (!parsed.ok()) {
    return parsed.error().In("key");
  }
  if (const Status status = PresentAs(context.get(), *certificates, *parsed); !status.ok()) {
    return status.error().In("key");
  }
  const std::lock_guard lock(mutex_);
  context_ = std::move(context);
  return Done{};
}

std::shared_ptr<SSL_CTX> TlsIdentity::context() const {
  const std::lock_guard lock(mutex_);
  return context_;
}

}  // namespace ballast::net
