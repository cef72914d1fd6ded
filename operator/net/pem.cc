#include "operator/net/pem.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

namespace ballast::net {
namespace {

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;

Bio Memory(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

int NoPassphrase(char*, int, int, void*) { return 0; }

Error Invalid(const char* problem) {
  ERR_clear_error();
  return {Code::kInvalid, problem};
}

}  // namespace

void FreeCertificate::operator()(X509* certificate) const { X509_free(certificate); }
void FreeKey::operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }

Result<std::vector<Certificate>> ReadCertificates(const std::string& pem) {
  const Bio bio = Memory(pem);
  std::vector<Certificate> certificates;
  bool at_end = false;
  while (!at_end) {
    if (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
      certificates.emplace_back(next);
    } else {
      at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
      ERR_clear_error();
    }
  }
  if (certificates.empty()) {
    return Invalid("holds no PEM certificate");
  }
  return certificates;
}

Result<Key> ReadKey(const std::string& pem) {
  const Bio bio = Memory(pem);
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, nullptr));
  if (key == nullptr) {
    return Invalid("holds no PEM private key without a passphrase");
  }
  return key;
}

Status PresentAs(SSL_CTX* context, const std::vector<Certificate>& chain, const Key& key) {
  if (SSL_CTX_use_certificate(context, chain.front().get()) != 1) {
    return Invalid("the certificate cannot be used");
  }
  SSL_CTX_clear_chain_certs(context);
  for (std::size_t i = 1; i < chain.size(); ++i) {
    SSL_CTX_add1_chain_cert(context, chain[i].get());
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return Invalid("does not belong to the certificate");
  }
  return Done{};
}

}  // namespace ballast::net
