#include "operator/sources/cloud/aws_keys.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include "operator/kube/url.h"
#include "operator/os/environment.h"
#include "operator/sources/cloud/identity_service.h"
#include "operator/sources/cloud/temporary_credential.h"
#include "operator/sources/query_credentials.h"

namespace ballast::sources {
namespace {

using TemporaryKeys = TemporaryCredential<AwsKeys>;

AwsKeySource Kept(const process::Clock& clock, TemporaryKeys::Ask ask) {
  const auto keys = std::make_shared<TemporaryKeys>(clock, std::move(ask));
  return [keys] { return keys->Get(); };
}

// --- from files

Result<AwsKeys> ReadKeys(const AwsKeyFiles& files) {
  AwsKeys keys;
  const std::pair<const kube::Material*, std::string*> all[] = {
      {&files.access_key_id, &keys.access_key_id},
      {&files.secret_access_key, &keys.secret_access_key},
      {&files.session_token, &keys.session_token}};
  for (const auto& [from, to] : all) {
    if (!from->empty()) {
      ASSIGN_OR_RETURN(*to, ReadHeaderText(*from));
    }
  }
  return keys;
}

// --- of a role

Result<TemporaryKeys::Given> AssumeRole(const AwsRole& role, const IdentityService& sts) {
  ASSIGN_OR_RETURN(const std::string token, ReadHeaderText(role.web_identity_token));
  ASSIGN_OR_RETURN(const json::Document answer,
                   AskIdentityService(sts,
                                      {.path = "/",
                                       .query = {{"Action", "AssumeRoleWithWebIdentity"},
                                                 {"Version", "2011-06-15"},
                                                 {"RoleArn", role.arn},
                                                 {"RoleSessionName", "ballast"},
                                                 {"WebIdentityToken", token}}},
                                      {token}));
  json::Decoder decoder(answer);
  const json::Cursor in = decoder.root()
                              .Required("AssumeRoleWithWebIdentityResponse")
                              .Required("AssumeRoleWithWebIdentityResult")
                              .Required("Credentials");
  TemporaryKeys::Given given;
  in.Required("AccessKeyId").Read(given.value.access_key_id);
  in.Required("SecretAccessKey").Read(given.value.secret_access_key);
  in.Required("SessionToken").Read(given.value.session_token);
  double end = 0;  // since 1970
  in.Required("Expiration").Read(end);
  if (const Status status = decoder.status(); !status.ok()) {
    return UnreadableCredential(sts, status);
  }
  given.end = Time(WholeSeconds(end), 0);
  return given;
}

// --- of the pod's identity

// What the SDKs of AWS read.
constexpr const char* kUrlVariable = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
constexpr const char* kTokenVariable = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE";

Error NotAssociated(const char* variable) {
  return {Code::kUnavailable,
          std::string("EKS has not set ") + variable +
              ": the pod's ServiceAccount had no association of Pod Identity when it started"};
}

Result<TemporaryKeys::Given> AskAgent(AwsPodIdentity identity, const std::stop_token& stop) {
  if (identity.credentials_url.empty()) {
    identity.credentials_url = os::Environment(kUrlVariable);
    if (identity.credentials_url.empty()) {
      return NotAssociated(kUrlVariable);
    }
    if (const Status status = CheckCredentialsUrl(identity.credentials_url); !status.ok()) {
      return status.error().In(kUrlVariable);
    }
  }
  if (identity.token.empty()) {
    identity.token.file = os::Environment(kTokenVariable);
    if (identity.token.empty()) {
      return NotAssociated(kTokenVariable);
    }
  }
  ASSIGN_OR_RETURN(const std::string token, ReadHeaderText(identity.token));
  // The node's own, never behind a proxy.
  const IdentityService agent{identity.credentials_url, "", stop};
  ASSIGN_OR_RETURN(const json::Document answer,
                   AskIdentityService(agent, {.headers = {{"Authorization", token}}}, {token}));
  json::Decoder decoder(answer);
  const json::Cursor in = decoder.root();
  TemporaryKeys::Given given;
  in.Required("AccessKeyId").Read(given.value.access_key_id);
  in.Required("SecretAccessKey").Read(given.value.secret_access_key);
  in.Required("Token").Read(given.value.session_token);
  json::Read(in.Required("Expiration"), given.end);
  if (const Status status = decoder.status(); !status.ok()) {
    return UnreadableCredential(agent, status);
  }
  return given;
}

}  // namespace

AwsKeySource MakeAwsKeySource(const AwsLogin& login, const std::string& proxy_url,
                              const process::Clock& clock, std::stop_token stop) {
  if (const auto* role = std::get_if<AwsRole>(&login.keys)) {
    const IdentityService sts{
        role->sts_url.empty() ? "https://sts." + login.region + ".amazonaws.com" : role->sts_url,
        proxy_url, std::move(stop)};
    return Kept(clock, [role = *role, sts] { return AssumeRole(role, sts); });
  }
  if (const auto* identity = std::get_if<AwsPodIdentity>(&login.keys)) {
    return Kept(clock, [identity = *identity, stop] { return AskAgent(identity, stop); });
  }
  return [files = std::get<AwsKeyFiles>(login.keys)] { return ReadKeys(files); };
}

Status CheckCredentialsUrl(const std::string& url) {
  // The last two are the agent's.
  static constexpr std::string_view kOfThisNode[] = {"localhost", "127.0.0.1", "::1",
                                                     "169.254.170.23", "fd00:ec2::23"};
  ASSIGN_OR_RETURN(const kube::Endpoint endpoint, kube::ParseEndpoint(url));
  if (!endpoint.tls && std::ranges::find(kOfThisNode, endpoint.host) == std::end(kOfThisNode)) {
    return Error{Code::kInvalid,
                 "must be https://, or the agent's address, as in http://169.254.170.23/..."};
  }
  return Done{};
}

}  // namespace ballast::sources
