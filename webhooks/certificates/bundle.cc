#include "webhooks/certificates/bundle.h"

#include <arpa/inet.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <memory>
#include <utility>

#include "operator/net/pem.h"

namespace ballast::webhooks {
namespace {

using net::Certificate;
using net::Key;

template <auto kFree>
struct FreeOpenSsl {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

Error Failed(const char* what) {
  ERR_clear_error();
  return {Code::kInternal, std::string("OpenSSL cannot ") + what};
}

std::string ToPem(const std::function<void(BIO*)>& write) {
  const std::unique_ptr<BIO, FreeOpenSsl<BIO_free>> bio(BIO_new(BIO_s_mem()));
  write(bio.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string Print(const Certificate& certificate) {
  return ToPem([&](BIO* bio) { PEM_write_bio_X509(bio, certificate.get()); });
}

std::string Print(const Key& key) {
  return ToPem([&](BIO* bio) {
    PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

Time ToTime(const ASN1_TIME* time) {
  std::tm parts{};
  ASN1_TIME_to_tm(time, &parts);
  return {timegm(&parts), 0};
}

bool IsAddress(const std::string& name) {
  in6_addr ignored{};
  return inet_pton(AF_INET, name.c_str(), &ignored) == 1 ||
         inet_pton(AF_INET6, name.c_str(), &ignored) == 1;
}

std::vector<std::string> NamesOf(X509* certificate) {
  std::vector<std::string> names;
  const std::unique_ptr<GENERAL_NAMES, FreeOpenSsl<GENERAL_NAMES_free>> all(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; all != nullptr && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(all.get(), i);
    int type = 0;
    const auto* text = static_cast<const ASN1_STRING*>(GENERAL_NAME_get0_value(name, &type));
    if (type != GEN_DNS && type != GEN_IPADD) {
      continue;
    }
    const auto* bytes = ASN1_STRING_get0_data(text);
    if (type == GEN_DNS) {
      names.emplace_back(reinterpret_cast<const char*>(bytes),
                         static_cast<std::size_t>(ASN1_STRING_length(text)));
    } else {
      char printed[INET6_ADDRSTRLEN] = {};
      inet_ntop(ASN1_STRING_length(text) == 4 ? AF_INET : AF_INET6, bytes, printed, sizeof printed);
      names.emplace_back(printed);
    }
  }
  return names;
}

bool IsSignedBy(const Certificate& certificate, const Certificate& authority) {
  const bool is = X509_verify(certificate.get(), X509_get0_pubkey(authority.get())) == 1;
  ERR_clear_error();
  return is;
}

bool Extend(X509* certificate, X509* issuer, int extension, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, FreeOpenSsl<X509_EXTENSION_free>> made(
      X509V3_EXT_conf_nid(nullptr, &context, extension, value.c_str()));
  return made != nullptr && X509_add_ext(certificate, made.get(), -1) == 1;
}

// An unsigned certificate without extensions.
Certificate Begin(const std::string& name, EVP_PKEY* key, Time now, Duration life) {
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  const std::unique_ptr<BIGNUM, FreeOpenSsl<BN_free>> serial(BN_new());
  BN_rand(serial.get(), 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY);
  BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate.get()));
  ASN1_TIME_set(X509_getm_notBefore(certificate.get()), (now - kBackdate).unix_seconds());
  ASN1_TIME_set(X509_getm_notAfter(certificate.get()), (now + life).unix_seconds());
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return certificate;
}

// A unique name for each authority, so that one is never mistaken for another.
std::string AuthorityName() {
  unsigned char random[4] = {};
  RAND_bytes(random, sizeof random);
  std::string name = "ballast webhook ";
  for (const unsigned char byte : random) {
    constexpr char kDigits[] = "0123456789abcdef";
    name += {kDigits[byte >> 4], kDigits[byte & 0xf]};
  }
  return name;
}

}  // namespace

std::optional<BundleInfo> Inspect(const std::optional<CertificateBundle>& bundle) {
  if (!bundle) {
    return std::nullopt;
  }
  const auto authorities = net::ReadCertificates(bundle->authorities);
  const auto authority_key = net::ReadKey(bundle->authority_key);
  const auto chain = net::ReadCertificates(bundle->certificate);
  const auto key = net::ReadKey(bundle->key);
  if (!authorities.ok() || !authority_key.ok() || !chain.ok() || !key.ok()) {
    return std::nullopt;
  }
  const Certificate& newest = authorities->front();
  const Certificate& certificate = chain->front();
  const bool keys_fit = X509_check_private_key(newest.get(), authority_key->get()) == 1 &&
                        X509_check_private_key(certificate.get(), key->get()) == 1;
  ERR_clear_error();
  const bool signer_known = std::ranges::any_of(*authorities, [&](const Certificate& authority) {
    return IsSignedBy(certificate, authority);
  });
  if (!keys_fit || !signer_known) {
    return std::nullopt;
  }
  return BundleInfo{.authority_made = ToTime(X509_get0_notBefore(newest.get())) + kBackdate,
                    .authority_ends = ToTime(X509_get0_notAfter(newest.get())),
                    .authorities = authorities->size(),
                    .made = ToTime(X509_get0_notBefore(certificate.get())) + kBackdate,
                    .ends = ToTime(X509_get0_notAfter(certificate.get())),
                    .signed_by_newest = IsSignedBy(certificate, newest),
                    .names = NamesOf(certificate.get())};
}

Result<Time> EndOf(const std::string& pem) {
  ASSIGN_OR_RETURN(const auto chain, net::ReadCertificates(pem));
  return ToTime(X509_get0_notAfter(chain.front().get()));
}

Result<CertificateBundle> AddAuthority(const CertificateBundle& bundle, Time now, Duration life) {
  const Key key(EVP_EC_gen("P-256"));
  if (key == nullptr) {
    return Failed("make a key");
  }
  const Certificate authority = Begin(AuthorityName(), key.get(), now, life);
  X509* self = authority.get();
  X509_set_issuer_name(self, X509_get_subject_name(self));
  if (!Extend(self, self, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") ||
      !Extend(self, self, NID_key_usage, "critical,keyCertSign,cRLSign") ||
      !Extend(self, self, NID_subject_key_identifier, "hash") ||
      X509_sign(self, key.get(), EVP_sha256()) == 0) {
    return Failed("sign an authority");
  }
  CertificateBundle next = bundle;
  next.authorities = Print(authority) + bundle.authorities;
  next.authority_key = Print(key);
  return next;
}

Result<CertificateBundle> Issue(const CertificateBundle& bundle,
                                const std::vector<std::string>& names, Time now, Duration life) {
  ASSIGN_OR_RETURN(const auto authorities, net::ReadCertificates(bundle.authorities));
  ASSIGN_OR_RETURN(const Key authority_key, net::ReadKey(bundle.authority_key));
  const Key key(EVP_EC_gen("P-256"));
  if (key == nullptr) {
    return Failed("make a key");
  }
  X509* issuer = authorities.front().get();
  const Certificate certificate = Begin("ballast webhook", key.get(), now,
                                        std::min(life, ToTime(X509_get0_notAfter(issuer)) - now));
  X509* self = certificate.get();
  X509_set_issuer_name(self, X509_get_subject_name(issuer));
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ",") + std::string(IsAddress(name) ? "IP:" : "DNS:") + name;
  }
  if (!Extend(self, issuer, NID_basic_constraints, "critical,CA:FALSE") ||
      !Extend(self, issuer, NID_key_usage, "critical,digitalSignature") ||
      !Extend(self, issuer, NID_ext_key_usage, "serverAuth") ||
      !Extend(self, issuer, NID_authority_key_identifier, "keyid:always") ||
      !Extend(self, issuer, NID_subject_alt_name, list) ||
      X509_sign(self, authority_key.get(), EVP_sha256()) == 0) {
    return Failed("sign a certificate");
  }
  CertificateBundle next = bundle;
  next.certificate = Print(certificate);
  next.key = Print(key);
  return next;
}

Result<CertificateBundle> KeepNewestAuthority(const CertificateBundle& bundle) {
  ASSIGN_OR_RETURN(const auto authorities, net::ReadCertificates(bundle.authorities));
  CertificateBundle next = bundle;
  next.authorities = Print(authorities.front());
  return next;
}

}  // namespace ballast::webhooks
