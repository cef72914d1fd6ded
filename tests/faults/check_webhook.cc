#include "tests/faults/check_webhook.h"

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <string>
#include <vector>

#include "api/base/base64.h"
#include "api/base/time.h"
#include "operator/net/pem.h"
#include "webhooks/certificates/bundle.h"
#include "webhooks/certificates/rotation.h"

namespace ballast::faults {
namespace {

using webhooks::CertificateBundle;

// The authority is replaced at two thirds of its life; this long from now, or sooner.
constexpr Nanoseconds kReplacedWithin = 3600 * kSecond;

CertificateBundle Aged(Time now, Nanoseconds left) {
  const webhooks::RotationTimes times;
  const Time made = now - Duration{times.authority_life.nanoseconds / 3 * 2 - left};
  const CertificateBundle authority =
      webhooks::AddAuthority({}, made, times.authority_life).value();
  return webhooks::Issue(authority, {kWebhookHost}, now, times.certificate_life).value();
}

JsonValue SecretOf(const CertificateBundle& bundle) {
  JsonValue secret = JsonValue::Of("{}");
  JsonValue& data = secret["data"];
  data["ca.crt"] = JsonValue(EncodeBase64(bundle.authorities));
  data["ca.key"] = JsonValue(EncodeBase64(bundle.authority_key));
  data["tls.crt"] = JsonValue(EncodeBase64(bundle.certificate));
  data["tls.key"] = JsonValue(EncodeBase64(bundle.key));
  return secret;
}

// The certificate in DER; empty: there is none.
std::string BytesOf(X509* certificate) {
  if (certificate == nullptr) {
    return "";
  }
  unsigned char* data = nullptr;
  const int size = i2d_X509(certificate, &data);
  const std::string bytes(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
  OPENSSL_free(data);
  return bytes;
}

// Whether one of the authorities (PEM) has signed it.
bool Verifies(const std::string& authorities, X509* certificate) {
  const auto read = net::ReadCertificates(authorities);
  if (!read.ok()) {
    return false;
  }
  X509_STORE* const store = X509_STORE_new();
  for (const net::Certificate& authority : *read) {
    X509_STORE_add_cert(store, authority.get());
  }
  X509_STORE_set_flags(store, X509_V_FLAG_NO_CHECK_TIME);
  X509_STORE_CTX* const context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, certificate, nullptr);
  const bool verifies = X509_verify_cert(context) == 1;
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  return verifies;
}

}  // namespace

void WebhookChecks::Begin(Dice& dice) {
  const bool is_new = dice.OneIn(2);
  const Time now = Time::FromUnixNanoseconds(Machine().Wall(Fibers::Get().now()));
  const CertificateBundle bundle =
      is_new ? CertificateBundle() : Aged(now, dice.Between(60 * kSecond, kReplacedWithin));
  server_.Put(kSecrets, kWebhookSecret, is_new ? JsonValue::Of("{}") : SecretOf(bundle));
  Apply(bundle.authorities);
}

void WebhookChecks::Apply(const std::string& authorities) {
  for (const char* kind : {kMutating, kValidating}) {
    JsonValue configuration = JsonValue::Of("{}");
    JsonValue webhook = JsonValue::Of(R"({"name":"policies.ballast.dev","clientConfig":{}})");
    if (!authorities.empty()) {
      webhook["clientConfig"]["caBundle"] = JsonValue(EncodeBase64(authorities));
    }
    configuration["webhooks"] = JsonValue(JsonValue::Array{std::move(webhook)});
    server_.Put(kind, {"", kWebhookConfiguration}, std::move(configuration));
  }
}

void WebhookChecks::ApplyAgain() {
  Apply("");
  trusted_ = false;
}

void WebhookChecks::Look(const std::string& identity, const std::shared_ptr<ssl_ctx_st>& served) {
  X509* const certificate = served == nullptr ? nullptr : SSL_CTX_get0_certificate(served.get());
  const std::string bytes = BytesOf(certificate);
  if (bytes.empty() || swarm_.Has(Fault::kClockSteps)) {
    return;  // a clock that is hours ahead forgets an authority while it is in use
  }
  bool trusted = true;
  for (const char* kind : {kMutating, kValidating}) {
    const JsonValue* configuration = server_.Get(kind, {"", kWebhookConfiguration});
    const std::string text =
        configuration->At({"webhooks"}).Elements()->front().At({"clientConfig", "caBundle"}).Text();
    if (!verified_.contains({bytes, text})) {
      if (Verifies(DecodeBase64(text).value(), certificate)) {
        verified_.emplace(bytes, text);
      } else {
        trusted = false;
        if (trusted_) {
          checks_.Fail("trust", identity + " serves with a certificate that no authority in the " +
                                    kind + " has signed");
        }
      }
    }
  }
  trusted_ = trusted_ || trusted;
}

void WebhookChecks::AtTheEnd() {
  if (!trusted_ && !swarm_.Has(Fault::kClockSteps)) {
    checks_.Fail("trust", "no replica's certificate can be verified in the end");
  }
}

}  // namespace ballast::faults
