#include "operator/sources/cloud/cloud_credentials.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <variant>

#include "operator/kube/url.h"
#include "operator/sources/cloud/aws_keys.h"
#include "operator/sources/cloud/aws_signature.h"
#include "operator/sources/cloud/identity_service.h"
#include "operator/sources/cloud/temporary_credential.h"

namespace ballast::sources {
namespace {

// --- AWS

class AwsCredentials final : public CloudCredentials {
 public:
  AwsCredentials(const AwsLogin& login, const kube::ClusterConfig& connection,
                 const process::Clock& clock, std::stop_token stop)
      : scope_{login.region, login.service},
        server_(connection.server),
        clock_(clock),
        keys_(MakeAwsKeySource(login, connection.proxy_url, clock, std::move(stop))) {}

  Result<QueryCredentials> For(const kube::Request& request) override {
    ASSIGN_OR_RETURN(const kube::Endpoint endpoint, kube::ParseEndpoint(server_));
    ASSIGN_OR_RETURN(const AwsKeys keys, keys_());
    return QueryCredentials{.headers = AwsHeaders(endpoint, request, keys, scope_, clock_.Now()),
                            .secrets = {keys.secret_access_key, keys.session_token}};
  }

 private:
  const AwsScope scope_;
  const std::string server_;
  const process::Clock& clock_;
  const AwsKeySource keys_;
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
Result<TokenCredentials::Given> ReadToken(const json::Document& answer,
                                          const IdentityService& service,
                                          const process::Clock& clock) {
  json::Decoder decoder(answer);
  TokenCredentials::Given given;
  decoder.root().Required("access_token").Read(given.value);
  double seconds = 0;
  decoder.root().Required("expires_in").Read(seconds);
  if (const Status status = decoder.status(); !status.ok()) {
    return UnreadableCredential(service, status);
  }
  given.end = clock.Now() + Duration::Seconds(WholeSeconds(seconds));
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
  return ReadToken(answer, metadata, clock);
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
  return ReadToken(answer, authority, clock);
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
