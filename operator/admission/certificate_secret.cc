#include "operator/admission/certificate_secret.h"

#include <string_view>
#include <utility>

#include "api/base/base64.h"
#include "api/json/json_writer.h"

namespace ballast::admission {
namespace {

using webhooks::CertificateBundle;

const kube::Resource kSecrets{.version = "v1", .plural = "secrets", .kind = "Secret"};
const kube::Resource kConfigurations[] = {
    {.group = "admissionregistration.k8s.io",
     .version = "v1",
     .plural = "mutatingwebhookconfigurations",
     .kind = "MutatingWebhookConfiguration",
     .namespaced = false},
    {.group = "admissionregistration.k8s.io",
     .version = "v1",
     .plural = "validatingwebhookconfigurations",
     .kind = "ValidatingWebhookConfiguration",
     .namespaced = false},
};

struct BundlePart {
  const char* key;
  std::string CertificateBundle::*text;
};
constexpr BundlePart kParts[] = {{"ca.crt", &CertificateBundle::authorities},
                                 {"ca.key", &CertificateBundle::authority_key},
                                 {"tls.crt", &CertificateBundle::certificate},
                                 {"tls.key", &CertificateBundle::key}};

// Invalid base64 counts as absent, so that the part is created again.
std::string Decoded(const json::Cursor& data, const char* key) {
  auto text = DecodeBase64(data.Member(key).Text());
  return text.ok() ? std::move(text).value() : "";
}

// Adds what to do about the two errors that an incomplete installation causes.
Error Explain(const Error& error, const std::string& what) {
  const bool missing = error.code == Code::kNotFound;
  const bool forbidden = error.code == Code::kForbidden;
  Error explained = error.In(what);
  if (missing || forbidden) {
    explained.message += "; install the chart's webhook, or start without --webhook-address";
  }
  return explained;
}

}  // namespace

Result<webhooks::CertificateStore::Stored> CertificateSecret::Read() {
  const std::string what = "Secret " + secret_.Print();
  const auto document = client_.Get(kSecrets, secret_);
  if (!document.ok()) {
    return document.error().code == Code::kNotFound ? Result<Stored>(Stored{})
                                                    : Explain(document.error(), what);
  }
  json::Decoder decoder(*document);
  Stored stored;
  decoder.root().Required("metadata").Required("resourceVersion").Read(stored.version);
  const json::Cursor data = decoder.root().Member("data");
  if (data.IsObject()) {
    CertificateBundle& bundle = stored.bundle.emplace();
    for (const BundlePart& part : kParts) {
      bundle.*part.text = Decoded(data, part.key);
    }
  }
  if (const Status status = decoder.status(); !status.ok()) {
    return status.error().In(what);
  }
  return stored;
}

Status CertificateSecret::Write(const CertificateBundle& bundle, const std::string& version) {
  json::Writer out;
  out.Object([&] {
    if (version.empty()) {
      out.Field("apiVersion", "v1");
      out.Field("kind", "Secret");
    }
    out.Object("metadata", [&] {
      out.Field("name", secret_.name);
      if (!version.empty()) {
        out.Field("resourceVersion", version);
      }
    });
    out.Object("data", [&] {
      for (const BundlePart& part : kParts) {
        out.Field(part.key, EncodeBase64(bundle.*part.text));
      }
    });
  });
  const auto written = version.empty() ? client_.Create(kSecrets, secret_.namespace_, out.Take())
                                       : client_.PatchObject(kSecrets, secret_, "",
                                                             kube::PatchType::kMerge, out.Take());
  return written.ok() ? Status(Done{}) : Explain(written.error(), "Secret " + secret_.Print());
}

Status CertificateSecret::Publish(const std::string& authorities) {
  const std::string bundle = EncodeBase64(authorities);
  for (const kube::Resource& kind : kConfigurations) {
    if (const Status status = PublishIn(kind, bundle); !status.ok()) {
      return Explain(status.error(), kind.kind + " " + configuration_);
    }
  }
  return Done{};
}

Status CertificateSecret::PublishIn(const kube::Resource& kind, const std::string& bundle) {
  const api::ObjectKey key{"", configuration_};
  ASSIGN_OR_RETURN(const json::Document document, client_.Get(kind, key));
  json::Decoder decoder(document);
  const json::Cursor root = decoder.root();
  json::Writer patch;
  bool differs = false;
  patch.BeginArray();
  patch.Object([&] {
    patch.Field("op", "test");
    patch.Field("path", "/metadata/resourceVersion");
    patch.Field("value", root.Required("metadata").Required("resourceVersion").Text());
  });
  std::size_t i = 0;
  for (const json::Cursor webhook : root.Member("webhooks").Elements()) {
    const std::string path = "/webhooks/" + std::to_string(i++) + "/clientConfig/caBundle";
    if (webhook.Member("clientConfig").Member("caBundle").Text() != bundle) {
      differs = true;
      patch.Object([&] {
        patch.Field("op", "add");
        patch.Field("path", path);
        patch.Field("value", bundle);
      });
    }
  }
  patch.EndArray();
  TRY(decoder.status());
  if (!differs) {
    return Done{};
  }
  TRY(client_.PatchObject(kind, key, "", kube::PatchType::kJson, patch.Take()));
  return Done{};
}

}  // namespace ballast::admission
