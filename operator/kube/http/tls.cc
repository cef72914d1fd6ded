#include "operator/kube/http/tls.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <vector>

#include "operator/net/pem.h"

// In the place of OpenSSL's, which cpprestsdk calls for the context of each connection, before
// ConfigureTls() has it forget all that it trusts: to parse the system's hundred and more
// authorities takes milliseconds and megabytes.
int SSL_CTX_set_default_verify_paths(SSL_CTX* /*context*/) { return 1; }

namespace ballast::kube {
namespace {

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using Context = std::unique_ptr<SSL_CTX, FreeContext>;

// Names the file, or the field for inline text; the text itself may be secret.
std::string Where(const Material& material, const char* field) {
  return material.file.empty() ? field : field + (" " + material.file);
}

Result<std::vector<net::Certificate>> ReadCertificates(const Material& material,
                                                       const char* field) {
  ASSIGN_OR_RETURN(const std::string text, material.Read());
  auto certificates = net::ReadCertificates(text);
  if (!certificates.ok()) {
    return certificates.error().In(Where(material, field));
  }
  return certificates;
}

// Adds the expected name to the client hello, which is about to be written, unless it is an
// address. A callback of OpenSSL's, because cpprestsdk would send what the Host header says.
void AskForName(const SSL* connection, int where, int) {
  if ((where & SSL_CB_HANDSHAKE_START) == 0) {
    return;
  }
  auto* const mutable_connection = const_cast<SSL*>(connection);
  if (const char* name = X509_VERIFY_PARAM_get0_host(SSL_get0_param(mutable_connection), 0)) {
    SSL_set_tlsext_host_name(mutable_connection, name);
  }
}

// An address must be among the certificate's addresses, anything else among its names. As in Go the
// subject does not count, and a star stands for one whole label.
void Expect(SSL_CTX* context, const std::string& peer) {
  X509_VERIFY_PARAM* param = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_hostflags(
      param, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (X509_VERIFY_PARAM_set1_ip_asc(param, peer.c_str()) != 1) {
    X509_VERIFY_PARAM_set1_host(param, peer.data(), peer.size());
    SSL_CTX_set_info_callback(context, AskForName);
  }
}

Status TrustOnly(SSL_CTX* context, const Material& ca) {
  ASSIGN_OR_RETURN(const auto certificates, ReadCertificates(ca, "certificate-authority"));
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  for (const net::Certificate& certificate : certificates) {
    X509_STORE_add_cert(store, certificate.get());
  }
  // As in Go, every certificate in the bundle is a trust anchor, self-signed or not.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  return Done{};
}

Status PresentAs(SSL_CTX* context, const Material& chain, const Material& key) {
  ASSIGN_OR_RETURN(const auto certificates, ReadCertificates(chain, "client-certificate"));
  ASSIGN_OR_RETURN(const std::string text, key.Read());
  const auto parsed = net::ReadKey(text);
  if (!parsed.ok()) {
    return parsed.error().In(Where(key, "client-key"));
  }
  const Status status = net::PresentAs(context, certificates, *parsed);
  return status.ok() ? status : status.error().In(Where(key, "client-key"));
}

Status Configure(SSL_CTX* context, const ClusterConfig& config, const std::string& peer) {
  Expect(context, peer);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  if (!config.ca.empty()) {
    TRY(TrustOnly(context, config.ca));
  } else if (!config.insecure_skip_tls_verify) {
    SSL_CTX_set_default_verify_file(context);
    SSL_CTX_set_default_verify_dir(context);
  }
  // Both files may have been replaced between reading the one and the other: then read them again.
  if (!config.client_certificate.empty() &&
      !PresentAs(context, config.client_certificate, config.client_key).ok()) {
    TRY(PresentAs(context, config.client_certificate, config.client_key));
  }
  return Done{};
}

}  // namespace

Status ConfigureTls(ssl_ctx_st* context, const ClusterConfig& config, const std::string& peer) {
  SSL_CTX_set_cert_store(context, X509_STORE_new());
  const Status configured = Configure(context, config, peer);
  if (!configured.ok()) {
    // With no protocol version left, every handshake fails, even an anonymous one.
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
  }
  return configured;
}

Result<std::string> ReadMaterial(const ClusterConfig& config) {
  std::string all;
  for (const Material* material : {&config.ca, &config.client_certificate, &config.client_key}) {
    ASSIGN_OR_RETURN(const std::string text, material->Read());
    all += text + '\n';
  }
  return all;
}

Result<std::string> ReadTls(const ClusterConfig& config) {
  const Context context(SSL_CTX_new(TLS_client_method()));
  TRY(ConfigureTls(context.get(), config, ""));
  return ReadMaterial(config);
}

}  // namespace ballast::kube
