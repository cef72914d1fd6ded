#include "operator/cli/cluster/overrides/override_objects.h"

#include <algorithm>
#include <iostream>
#include <tuple>
#include <utility>

#include "api/autoscaling/mode.h"
#include "operator/cli/cluster/autoscalers.h"
#include "operator/cli/cluster/overrides/override_request.h"
#include "operator/cluster/overrides.h"
#include "operator/cluster/resources.h"

namespace ballast::cli {
namespace {

using cluster::kOverrides;

// Of a collection kNotFound means that there is no such kind.
Error Explain(const Error& error, const char* verb) {
  if (error.code == Code::kForbidden) {
    return {error.code, "overrides cannot be " + std::string(verb) + ": " + error.message +
                            " (the ClusterRole ballast-edit-overrides has the rights)"};
  }
  if (error.code == Code::kNotFound) {
    return {
        error.code,
        "the cluster has no AutoScaleOverrides: the CRD is not installed (ballast crd | kubectl "
        "apply -f -)"};
  }
  return {error.code, "overrides cannot be " + std::string(verb) + ": " + error.message};
}

Result<api::AutoScaleOverride> Decoded(const json::Document& document) {
  json::Decoder decoder(document);
  api::AutoScaleOverride override;
  api::Decode(decoder.root(), override);
  TRY(decoder.status());
  return override;
}

}  // namespace

Result<OverrideTarget> FindTarget(kube::Client& client, const AutoscalerName& name,
                                  const std::string& default_namespace) {
  OverrideTarget target{
      {name.kind, name.namespace_.empty() ? default_namespace : name.namespace_, name.name}, {}};
  if (name.kind.empty()) {
    ASSIGN_OR_RETURN(const api::Autoscaler found, FindAutoscaler(client, name, default_namespace));
    target.name.kind = found.kind;
    target.metadata = found.metadata;
    return target;
  }
  const auto& resource = name.kind == api::kPolicyKind ? cluster::kPolicies : cluster::kHpas;
  auto found = client.GetMetadata(resource, target.name.key());
  if (found.ok()) {
    target.metadata = std::move(found).value();
  } else if (found.error().code == Code::kNotFound) {
    return Error{Code::kUnavailable, "there is no " + target.name.kind + " " + name.name +
                                         " in namespace " + target.name.namespace_};
  }
  return target;
}

void WarnOfForeignHpa(const OverrideTarget& target, const std::string& what) {
  if (target.name.kind != api::kHpaKind || !target.metadata) {
    return;
  }
  const auto& annotations = target.metadata->annotations;
  const auto mode = annotations.find(api::kHpaMode);
  if (mode == annotations.end() || mode->second != "manage") {
    std::cerr << "Warning: " << what << " counts only while Ballast manages this HPA ("
              << api::kHpaMode
              << ": manage, or --hpa-mode manage of the operator); Kubernetes' own controller does "
                 "not know it\n";
  }
}

Result<api::AutoScaleOverride> CreateOverride(kube::Client& client, const std::string& namespace_,
                                              const api::OverrideSpec& spec) {
  const auto created = client.Create(kOverrides, namespace_, PrintOverride(spec));
  if (!created.ok()) {
    return Explain(created.error(), "created");
  }
  return Decoded(*created);
}

Result<std::vector<api::AutoScaleOverride>> ListOverrides(kube::Client& client,
                                                          const std::string& namespace_) {
  std::vector<api::AutoScaleOverride> all;
  const Status listed =
      client.List(kOverrides, {.namespace_ = namespace_}, [&](const json::Cursor& item) {
        api::Decode(item, all.emplace_back());
        return Status(Done{});
      });
  if (!listed.ok()) {
    return Explain(listed.error(), "read");
  }
  std::ranges::sort(all, {}, [](const api::AutoScaleOverride& one) {
    return std::tie(one.metadata.namespace_, one.spec.until, one.metadata.name);
  });
  return all;
}

Result<api::AutoScaleOverride> ReadOverride(kube::Client& client, const api::ObjectKey& key) {
  const auto read = client.Get(kOverrides, key);
  if (!read.ok() && read.error().code == Code::kNotFound) {
    return Error{Code::kNotFound, "there is no override " + key.name + " in namespace " +
                                      key.namespace_ + "; ballast overrides lists them"};
  }
  if (!read.ok()) {
    return Explain(read.error(), "read");
  }
  return Decoded(*read);
}

Status EndOverride(kube::Client& client, const api::AutoScaleOverride& override) {
  const Status done = client.Delete(kOverrides, override.key(), override.metadata.uid);
  if (!done.ok() && done.error().code != Code::kNotFound) {
    return Explain(done.error(), "ended");
  }
  return Done{};
}

bool HasEnded(const api::AutoScaleOverride& override, Time now) {
  return override.spec.until <= now || override.status.phase == cluster::kPhaseExpired ||
         override.status.phase == cluster::kPhaseInvalid;
}

}  // namespace ballast::cli
