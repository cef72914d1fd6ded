#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "operator/cli/cluster/caller.h"
#include "operator/cli/cluster/check/installation_checks.h"
#include "operator/cli/cluster/check/required_rights.h"
#include "operator/kube/discovery.h"

namespace ballast::cli {
namespace {

constexpr const char* kRights = "rights";
constexpr int kNamed = 5;  // rights that a message names; the rest are counted

// Who is asked about, and how.
struct RightsSubject {
  api::ObjectKey account;
  bool is_caller = false;

  std::string user() const {
    return "system:serviceaccount:" + account.namespace_ + ":" + account.name;
  }
};

std::string PrintReview(const RightsSubject& subject, const Right& right) {
  json::Writer out;
  out.Object([&] {
    out.Field("apiVersion", "authorization.k8s.io/v1");
    out.Field("kind", subject.is_caller ? "SelfSubjectAccessReview" : "SubjectAccessReview");
    out.Object("spec", [&] {
      if (!subject.is_caller) {
        out.Field("user", subject.user());
        out.Array("groups", [&] {
          out.Value("system:serviceaccounts");
          out.Value("system:serviceaccounts:" + subject.account.namespace_);
          out.Value("system:authenticated");
        });
      }
      out.Object("resourceAttributes", [&] {
        out.Field("verb", right.verb);
        out.Field("group", right.group);
        out.Field("resource", right.resource);
        out.Field("subresource", right.subresource);
        out.Field("namespace", right.namespace_);
        out.Field("name", right.name);
      });
    });
  });
  return out.Take();
}

Result<bool> Has(kube::Client& client, const RightsSubject& subject, const Right& right) {
  const kube::Resource reviews{
      .group = "authorization.k8s.io",
      .version = "v1",
      .plural = subject.is_caller ? "selfsubjectaccessreviews" : "subjectaccessreviews",
      .kind = "",
      .namespaced = false};
  ASSIGN_OR_RETURN(const json::Document review,
                   client.Create(reviews, "", PrintReview(subject, right)));
  json::Decoder decoder(review);
  bool allowed = false;
  decoder.root().Member("status").Member("allowed").Read(allowed);
  TRY(decoder.status());
  return allowed;
}

// What policies scale beside Kubernetes' own. A kind that is not served is for them to say.
std::vector<kube::Resource> CustomTargets(CheckContext& context) {
  const auto policies = ServedPolicies(context);
  std::set<std::pair<std::string, std::string>> kinds;
  for (const api::Autoscaler& policy : policies.ok() ? *policies : std::vector<api::Autoscaler>()) {
    const api::CrossVersionObjectReference& target = policy.spec.scale_target_ref;
    const std::string group = target.api_version.substr(0, target.api_version.find('/'));
    if (group != "apps" && group != target.api_version) {
      kinds.emplace(target.api_version, target.kind);
    }
  }
  kube::RestMapper mapper(context.transport);
  std::vector<kube::Resource> resources;
  for (const auto& [api_version, kind] : kinds) {
    if (auto resource = mapper.Find(api_version, kind); resource.ok()) {
      resources.push_back(std::move(resource).value());
    }
  }
  return resources;
}

Finding Judge(const std::string& who, const std::vector<Right>& missing, std::size_t asked) {
  if (missing.empty()) {
    return {kRights, Severity::kOk,
            who + " has the " + std::to_string(asked) + " rights that it needs", ""};
  }
  std::string names;
  Severity level = Severity::kWarning;
  int count = 0;
  for (const Right& right : missing) {
    // Roles made by hand may grant some metrics by name.
    if (right.resource != "*") {
      level = Severity::kFailure;
    }
    if (++count <= kNamed) {
      names += (names.empty() ? "" : ", ") + Print(right);
    }
  }
  if (count > kNamed) {
    names += " and " + std::to_string(count - kNamed) + " more";
  }
  return {
      kRights, level, who + " may not " + names,
      "helm upgrade creates and binds the roles, unless rbac.create is false (docs/security.md)"};
}

}  // namespace

Finding CheckRights(CheckContext& context) {
  const Installation& installation = context.installation;
  if (!installation.service_account) {
    return {kRights, Severity::kWarning, "without a pod it is not known whose rights to check",
            "name the operator's with --service-account"};
  }
  RightsSubject subject{.account = *installation.service_account};
  subject.is_caller = CallerOf(context.client) == subject.user();
  const std::vector<Right> required = RequiredRights(installation, CustomTargets(context));
  std::vector<Right> missing;
  for (const Right& right : required) {
    const auto has = Has(context.client, subject, right);
    if (!has.ok()) {
      Finding unknown = Unknown(kRights, "those of " + subject.user(), has.error());
      if (!installation.pods.empty()) {
        unknown.advice = "kubectl -n " + installation.namespace_ + " exec " +
                         installation.pods.front().name + " -c ballast -- ballast check";
      }
      return unknown;
    }
    if (!*has) {
      missing.push_back(right);
    }
  }
  return Judge(subject.user(), missing, required.size());
}

}  // namespace ballast::cli
