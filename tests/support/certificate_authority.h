// A certificate authority made at run time, and the certificates that it issues (P-256, valid for
// an hour).
//
// Thread-safety: one thread at a time.
// Errors: none reported; OpenSSL's are not checked.
#pragma once

#include <memory>
#include <string>
#include <vector>

struct x509_st;
struct evp_pkey_st;

namespace ballast::support {

struct KeyPair {
  std::string certificate;  // PEM
  std::string key;          // PEM
};

class CertificateAuthority {
 public:
  explicit CertificateAuthority(const std::string& name = "test authority");
  ~CertificateAuthority();

  std::string certificate() const;  // PEM

  // `names` in OpenSSL's syntax: "DNS:localhost", "IP:127.0.0.1". For servers and clients alike.
  KeyPair Issue(const std::string& common_name, const std::vector<std::string>& names = {}) const;

 private:
  x509_st* certificate_;
  evp_pkey_st* key_;
};

}  // namespace ballast::support
