#include <string>
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

struct CheckedDefinition {
  const char* check;  // the finding's name
  const kube::Resource& resource;
  std::string (*print)();  // what this program prints for `ballast crd`
  Severity absent;         // how bad it is that there is none
};

const CheckedDefinition kOfPolicies{"CRD", cluster::kPolicies, api::PolicyCrd, Severity::kFailure};
const CheckedDefinition kOfOverrides{"CRD of overrides", cluster::kOverrides, api::OverrideCrd,
                                     Severity::kWarning};

// The served version that this program has; absent if there is none.
json::Cursor VersionOf(const CheckedDefinition& of, const json::Cursor& crd) {
  for (const json::Cursor& version : crd.Member("spec").Member("versions").Elements()) {
    bool served = false;
    version.Member("served").Read(served);
    if (served && version.Member("name").Text() == of.resource.version) {
      return version;
    }
  }
  return {};
}

Finding Judge(const CheckedDefinition& of, const json::Document& stored) {
  json::Decoder decoder(stored);
  const std::string name = of.resource.FullName();
  if (!IsEstablished(decoder.root())) {
    return {of.check, of.absent, name + " is not established yet", "kubectl describe crd " + name};
  }
  const json::Cursor version = VersionOf(of, decoder.root());
  if (!version.present()) {
    return {of.check, of.absent, name + " does not serve " + of.resource.version, kInstall};
  }
  const json::Document own = json::Parse(YamlToJson(of.print()).value().front()).value();
  json::Decoder own_decoder(own);
  const auto difference =
      FirstDifference(VersionOf(of, own_decoder.root()).Member("schema").Member("openAPIV3Schema"),
                      version.Member("schema").Member("openAPIV3Schema"));
  if (difference) {
    return {of.check, Severity::kWarning,
            name + " has another schema than this program (" BALLAST_VERSION "): " + *difference,
            std::string("if the operator is of this version: ") + kInstall};
  }
  return {of.check, Severity::kOk, name + " is served, with the schema of this program", ""};
}

// For callers who may not read definitions.
Finding JudgeByDiscovery(const CheckedDefinition& of, CheckContext& context, const Error& why) {
  const auto served = kube::GetDocument(
      context.transport, (kube::Path() / "apis" / of.resource.group / of.resource.version).text());
  if (!served.ok()) {
    return served.error().code == Code::kNotFound
               ? Finding{of.check, of.absent, of.resource.FullName() + " is not served", kInstall}
               : Unknown(of.check, of.resource.FullName(), served.error());
  }
  return Unknown(of.check, of.resource.FullName() + " is served; its schema", why);
}

Finding Check(const CheckedDefinition& of, CheckContext& context) {
  const std::string name = of.resource.FullName();
  const auto stored = context.client.Get(kDefinitions, {.name = name});
  if (stored.ok()) {
    return Judge(of, *stored);
  }
  return stored.error().code == Code::kNotFound
             ? Finding{of.check, of.absent, name + " is not installed", kInstall}
             : JudgeByDiscovery(of, context, stored.error());
}

}  // namespace

Finding CheckCrd(CheckContext& context) { return Check(kOfPolicies, context); }

Finding CheckOverrideCrd(CheckContext& context) { return Check(kOfOverrides, context); }

}  // namespace ballast::cli
