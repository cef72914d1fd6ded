// Certificates made when a test runs: an authority and what it signs (P-256, valid for an hour).
//
// Thread-safety: one thread at a time. A failure of OpenSSL ends the test.
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

  // `names` as OpenSSL writes them: "DNS:localhost", "IP:127.0.0.1". May serve and connect.
  KeyPair Issue(const std::string& common_name, const std::vector<std::string>& names = {}) const;

 private:
  x509_st* certificate_;
  evp_pkey_st* key_;
};

}  // namespace ballast::support
