#include "tests/support/certificate_authority.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <functional>

namespace ballast::support {
namespace {

std::string ToPem(const std::function<void(BIO*)>& write) {
  BIO* bio = BIO_new(BIO_s_mem());
  write(bio);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

std::string CertificatePem(X509* certificate) {
  return ToPem([&](BIO* bio) { PEM_write_bio_X509(bio, certificate); });
}

X509* NewCertificate(const std::string& name, EVP_PKEY* key) {
  static std::atomic<long> serial{1};
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return certificate;
}

void Extend(X509* certificate, X509* issuer, int extension, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* made = X509V3_EXT_conf_nid(nullptr, &context, extension, value.c_str());
  X509_add_ext(certificate, made, -1);
  X509_EXTENSION_free(made);
}

}  // namespace

CertificateAuthority::CertificateAuthority(const std::string& name) : key_(EVP_EC_gen("P-256")) {
  certificate_ = NewCertificate(name, key_);
  X509_set_issuer_name(certificate_, X509_get_subject_name(certificate_));
  Extend(certificate_, certificate_, NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(certificate_, key_, EVP_sha256());
}

CertificateAuthority::~CertificateAuthority() {
  X509_free(certificate_);
  EVP_PKEY_free(key_);
}

std::string CertificateAuthority::certificate() const { return CertificatePem(certificate_); }

KeyPair CertificateAuthority::Issue(const std::string& common_name,
                                    const std::vector<std::string>& names) const {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = NewCertificate(common_name, key);
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate_));
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ",") + name;
  }
  if (!list.empty()) {
    Extend(certificate, certificate_, NID_subject_alt_name, list);
  }
  X509_sign(certificate, key_, EVP_sha256());
  KeyPair pair{CertificatePem(certificate), ToPem([&](BIO* bio) {
                 PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
               })};
  X509_free(certificate);
  EVP_PKEY_free(key);
  return pair;
}

}  // namespace ballast::support
