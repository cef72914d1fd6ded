#include <string_view>
#include <utility>

#include "api/autoscaling/crd.h"
#include "api/json/yaml.h"
#include "operator/cli/cluster/check/installation_checks.h"
#include "operator/cli/cluster/check/json_difference.h"
#include "operator/cluster/resources.h"
#include "operator/kube/get_document.h"
#include "operator/kube/path.h"

namespace ballast::cli {
namespace {

constexpr const char* kCrd = "CRD";
constexpr const char* kInstall =
    "helm upgrade, or: ballast crd | kubectl apply --server-side --force-conflicts -f -";
const kube::Resource kDefinitions{.group = "apiextensions.k8s.io",
                                  .version = "v1",
                                  .plural = "customresourcedefinitions",
                                  .kind = "CustomResourceDefinition",
                                  .namespaced = false};

bool IsEstablished(const json::Cursor& crd) {
  for (const json::Cursor& condition : crd.Member("status").Member("conditions").Elements()) {
    if (condition.Member("type").Text() == "Established") {
      return condition.Member("status").Text() == "True";
    }
  }
  return false;
}

// The served version that this program has; absent if there is none.
json::Cursor VersionOf(const json::Cursor& crd) {
  for (const json::Cursor& version : crd.Member("spec").Member("versions").Elements()) {
    bool served = false;
    version.Member("served").Read(served);
    if (served && version.Member("name").Text() == cluster::kPolicies.version) {
      return version;
    }
  }
  return {};
}

// What this program prints for `ballast crd`.
json::Document OwnDefinition() {
  return json::Parse(YamlToJson(api::PolicyCrd()).value().front()).value();
}

Finding Judge(const json::Document& stored) {
  json::Decoder decoder(stored);
  const std::string name = cluster::kPolicies.FullName();
  if (!IsEstablished(decoder.root())) {
    return {kCrd, Severity::kFailure, name + " is not established yet",
            "kubectl describe crd " + name};
  }
  const json::Cursor version = VersionOf(decoder.root());
  if (!version.present()) {
    return {kCrd, Severity::kFailure, name + " does not serve " + cluster::kPolicies.version,
            kInstall};
  }
  const json::Document own = OwnDefinition();
  json::Decoder own_decoder(own);
  const auto difference =
      FirstDifference(VersionOf(own_decoder.root()).Member("schema").Member("openAPIV3Schema"),
                      version.Member("schema").Member("openAPIV3Schema"));
  if (difference) {
    return {kCrd, Severity::kWarning,
            name + " has another schema than this program (" BALLAST_VERSION "): " + *difference,
            std::string("if the operator is of this version: ") + kInstall};
  }
  return {kCrd, Severity::kOk, name + " is served, with the schema of this program", ""};
}

// For callers who may not read definitions.
Finding JudgeByDiscovery(CheckContext& context, const Error& why) {
  const auto& policies = cluster::kPolicies;
  const auto served = kube::GetDocument(
      context.transport, (kube::Path() / "apis" / policies.group / policies.version).text());
  if (!served.ok()) {
    return served.error().code == Code::kNotFound
               ? Finding{kCrd, Severity::kFailure, policies.FullName() + " is not served", kInstall}
               : Unknown(kCrd, policies.FullName(), served.error());
  }
  return Unknown(kCrd, policies.FullName() + " is served; its schema", why);
}

}  // namespace

Finding CheckCrd(CheckContext& context) {
  const std::string name = cluster::kPolicies.FullName();
  const auto stored = context.client.Get(kDefinitions, {.name = name});
  if (stored.ok()) {
    return Judge(*stored);
  }
  return stored.error().code == Code::kNotFound
             ? Finding{kCrd, Severity::kFailure, name + " is not installed", kInstall}
             : JudgeByDiscovery(context, stored.error());
}

}  // namespace ballast::cli
