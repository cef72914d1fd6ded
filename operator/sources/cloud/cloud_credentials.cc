#include "operator/sources/cloud/cloud_credentials.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>

#include "operator/kube/url.h"
#include "operator/sources/cloud/aws_signature.h"
#include "operator/sources/cloud/identity_service.h"
#include "operator/sources/cloud/temporary_credential.h"

namespace ballast::sources {
namespace {

constexpr double kMostSeconds = 1e11;  // about the year 5000

Error Unreadable(const std::string& url, const Status& status) {
  return {Code::kUnavailable,
          url + " gave no credential: its answer cannot be read: " + status.error().message};
}

// --- AWS

class AwsCredentials final : public CloudCredentials {
 public:
  AwsCredentials(const AwsLogin& login, const kube::ClusterConfig& connection,
                 const process::Clock& clock, std::stop_token stop)
      : login_(login),
        server_(connection.server),
        clock_(clock),
        sts_{login.sts_url.empty() ? "https://sts." + login.region + ".amazonaws.com"
                                   : login.sts_url,
             connection.proxy_url, std::move(stop)},
        assumed_(clock, [this] { return AssumeRole(); }) {}

  Result<QueryCredentials> For(const kube::Request& request) override {
    ASSIGN_OR_RETURN(const kube::Endpoint endpoint, kube::ParseEndpoint(server_));
    ASSIGN_OR_RETURN(const AwsKeys keys, login_.role_arn.empty() ? ReadKeys() : assumed_.Get());
    return QueryCredentials{.headers = AwsHeaders(endpoint, request, keys,
                                                  {login_.region, login_.service}, clock_.Now()),
                            .secrets = {keys.secret_access_key, keys.session_token}};
  }

 private:
  // As the files are now.
  Result<AwsKeys> ReadKeys() const {
    AwsKeys keys;
    const std::pair<const kube::Material*, std::string*> all[] = {
        {&login_.access_key_id, &keys.access_key_id},
        {&login_.secret_access_key, &keys.secret_access_key},
        {&login_.session_token, &keys.session_token}};
    for (const auto& [from, to] : all) {
      if (!from->empty()) {
        ASSIGN_OR_RETURN(*to, ReadHeaderText(*from));
      }
    }
    return keys;
  }

  Result<TemporaryCredential<AwsKeys>::Given> AssumeRole() const {
    ASSIGN_OR_RETURN(const std::string token, ReadHeaderText(login_.web_identity_token));
    ASSIGN_OR_RETURN(const json::Document answer,
                     AskIdentityService(sts_,
                                        {.path = "/",
                                         .query = {{"Action", "AssumeRoleWithWebIdentity"},
                                                   {"Version", "2011-06-15"},
                                                   {"RoleArn", login_.role_arn},
                                                   {"RoleSessionName", "ballast"},
                                                   {"WebIdentityToken", token}}},
                                        {token}));
    json::Decoder decoder(answer);
    const json::Cursor given = decoder.root()
                                   .Required("AssumeRoleWithWebIdentityResponse")
                                   .Required("AssumeRoleWithWebIdentityResult")
                                   .Required("Credentials");
    AwsKeys keys;
    given.Required("AccessKeyId").Read(keys.access_key_id);
    given.Required("SecretAccessKey").Read(keys.secret_access_key);
    given.Required("SessionToken").Read(keys.session_token);
    double end = 0;  // since 1970
    given.Required("Expiration").Read(end);
    if (const Status status = decoder.status(); !status.ok()) {
      return Unreadable(sts_.url, status);
    }
    return TemporaryCredential<AwsKeys>::Given{
        std::move(keys),
        Time(static_cast<std::int64_t>(std::isfinite(end) ? std::clamp(end, 0.0, kMostSeconds) : 0),
             0)};
  }

  const AwsLogin login_;
  const std::string server_;
  const process::Clock& clock_;
  const IdentityService sts_;
  TemporaryCredential<AwsKeys> assumed_;
};

// --- tokens, of Google and Azure

class TokenCredentials final : public CloudCredentials {
 public:
  using Given = TemporaryCredential<std::string>::Given;

  TokenCredentials(const process::Clock& clock, TemporaryCredential<std::string>::Ask ask)
      : token_(clock, std::move(ask)) {}

  Result<QueryCredentials> For(const kube::Request& /*request*/) override {
    ASSIGN_OR_RETURN(const std::string token, token_.Get());
    return QueryCredentials{.headers = {{"Authorization", "Bearer " + token}}, .secrets = {token}};
  }

 private:
  TemporaryCredential<std::string> token_;
};

// An answer as OAuth 2.0 has it.
Result<TokenCredentials::Given> ReadToken(const json::Document& answer, const std::string& url,
                                          const process::Clock& clock) {
  json::Decoder decoder(answer);
  TokenCredentials::Given given;
  decoder.root().Required("access_token").Read(given.value);
  double seconds = 0;
  decoder.root().Required("expires_in").Read(seconds);
  if (const Status status = decoder.status(); !status.ok()) {
    return Unreadable(url, status);
  }
  const double lasts = std::isfinite(seconds) ? std::clamp(seconds, 0.0, kMostSeconds) : 0;
  given.end = clock.Now() + Duration::Seconds(static_cast<std::int64_t>(lasts));
  return given;
}

Result<TokenCredentials::Given> AskGoogle(const IdentityService& metadata,
                                          const process::Clock& clock) {
  ASSIGN_OR_RETURN(
      const json::Document answer,
      AskIdentityService(metadata,
                         {.path = "/computeMetadata/v1/instance/service-accounts/default/token",
                          .headers = {{"Metadata-Flavor", "Google"}}},
                         {}));
  return ReadToken(answer, metadata.url, clock);
}

Result<TokenCredentials::Given> AskAzure(const AzureLogin& login, const IdentityService& authority,
                                         const process::Clock& clock) {
  ASSIGN_OR_RETURN(const std::string token, ReadHeaderText(login.workload_token));
  std::string form;
  for (const auto& [name, value] : std::initializer_list<std::pair<std::string, std::string>>{
           {"grant_type", "client_credentials"},
           {"client_id", login.client_id},
           {"scope", login.scope},
           {"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
           {"client_assertion", token}}) {
    form += (form.empty() ? "" : "&") + name + "=" + kube::Escape(value);
  }
  ASSIGN_OR_RETURN(
      const json::Document answer,
      AskIdentityService(authority,
                         {.method = kube::Method::kPost,
                          .path = "/" + kube::Escape(login.tenant_id) + "/oauth2/v2.0/token",
                          .body = std::move(form),
                          .content_type = "application/x-www-form-urlencoded"},
                         {token}));
  return ReadToken(answer, authority.url, clock);
}

}  // namespace

std::unique_ptr<CloudCredentials> MakeCloudCredentials(const CloudLogin& login,
                                                       const kube::ClusterConfig& connection,
                                                       const process::Clock& clock,
                                                       std::stop_token stop) {
  if (const auto* aws = std::get_if<AwsLogin>(&login)) {
    return std::make_unique<AwsCredentials>(*aws, connection, clock, std::move(stop));
  }
  if (const auto* google = std::get_if<GoogleLogin>(&login)) {
    // The node's own server, never behind a proxy.
    const IdentityService metadata{google->metadata_url, "", std::move(stop)};
    return std::make_unique<TokenCredentials>(
        clock, [metadata, &clock] { return AskGoogle(metadata, clock); });
  }
  if (const auto* azure = std::get_if<AzureLogin>(&login)) {
    const IdentityService authority{azure->authority_url, connection.proxy_url, std::move(stop)};
    return std::make_unique<TokenCredentials>(
        clock, [login = *azure, authority, &clock] { return AskAzure(login, authority, clock); });
  }
  return nullptr;
}

}  // namespace ballast::sources
