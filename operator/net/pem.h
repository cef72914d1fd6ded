// Certificates and keys in PEM as OpenSSL objects.
//
// Errors: kInvalid; a message never contains the text, which may be secret.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/base/result.h"

struct x509_st;
struct evp_pkey_st;
struct ssl_ctx_st;

namespace ballast::net {

struct FreeCertificate {
  void operator()(x509_st* certificate) const;
};
struct FreeKey {
  void operator()(evp_pkey_st* key) const;
};
using Certificate = std::unique_ptr<x509_st, FreeCertificate>;
using Key = std::unique_ptr<evp_pkey_st, FreeKey>;

// All certificates in the text, but for those that cannot be read, which Go skips too. kInvalid if
// there is none: "holds no PEM certificate".
Result<std::vector<Certificate>> ReadCertificates(const std::string& pem);

// kInvalid: "holds no PEM private key without a passphrase".
Result<Key> ReadKey(const std::string& pem);

// Configures the context to present `chain`, which must not be empty, and the key of its first
// certificate. kInvalid: "the certificate cannot be used", "does not belong to the certificate".
Status PresentAs(ssl_ctx_st* context, const std::vector<Certificate>& chain, const Key& key);

}  // namespace ballast::net
