#include "operator/kube/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <vector>

namespace ballast::kube {
namespace {

template <auto kFree>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Bio = std::unique_ptr<BIO, Deleter<BIO_free>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Context = std::unique_ptr<SSL_CTX, Deleter<SSL_CTX_free>>;

// Names the file, or the field for inline text; the text itself may be secret.
Error Invalid(const Material& material, const char* field, const char* problem) {
  ERR_clear_error();
  const std::string where = material.file.empty() ? field : field + (" " + material.file);
  return {Code::kInvalid, where + ": " + problem};
}

Bio Memory(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Result<std::vector<Certificate>> ReadCertificates(const Material& material, const char* field) {
  ASSIGN_OR_RETURN(const std::string text, material.Read());
  const Bio bio = Memory(text);
  std::vector<Certificate> certificates;
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    certificates.emplace_back(next);
  }
  ERR_clear_error();
  if (certificates.empty()) {
    return Invalid(material, field, "holds no PEM certificate");
  }
  return certificates;
}

Status TrustOnly(SSL_CTX* context, const Material& ca) {
  ASSIGN_OR_RETURN(const auto certificates, ReadCertificates(ca, "certificate-authority"));
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  for (const Certificate& certificate : certificates) {
    X509_STORE_add_cert(store, certificate.get());
  }
  // As in Go, whatever is in the bundle is an anchor, self-signed or not.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  return Done{};
}

int NoPassphrase(char*, int, int, void*) { return 0; }

Status PresentAs(SSL_CTX* context, const Material& chain, const Material& key) {
  ASSIGN_OR_RETURN(const auto certificates, ReadCertificates(chain, "client-certificate"));
  ASSIGN_OR_RETURN(const std::string text, key.Read());
  const Bio bio = Memory(text);
  const Key parsed(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, nullptr));
  if (parsed == nullptr) {
    return Invalid(key, "client-key", "holds no PEM private key without a passphrase");
  }
  if (SSL_CTX_use_certificate(context, certificates.front().get()) != 1) {
    return Invalid(chain, "client-certificate", "cannot be used");
  }
  for (std::size_t i = 1; i < certificates.size(); ++i) {
    SSL_CTX_add1_chain_cert(context, certificates[i].get());
  }
  if (SSL_CTX_use_PrivateKey(context, parsed.get()) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return Invalid(key, "client-key", "does not belong to the client certificate");
  }
  return Done{};
}

}  // namespace

Status ConfigureTls(ssl_ctx_st* context, const ClusterConfig& config) {
  SSL_CTX_set_cert_store(context, X509_STORE_new());
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  if (!config.ca.empty()) {
    TRY(TrustOnly(context, config.ca));
  } else if (!config.insecure_skip_tls_verify) {
    SSL_CTX_set_default_verify_paths(context);
  }
  if (!config.client_certificate.empty()) {
    TRY(PresentAs(context, config.client_certificate, config.client_key));
  }
  return Done{};
}

Status CheckTls(const ClusterConfig& config) {
  const Context context(SSL_CTX_new(TLS_client_method()));
  return ConfigureTls(context.get(), config);
}

}  // namespace ballast::kube
