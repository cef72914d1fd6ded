#include "operator/cli/cluster/overrides/override_objects.h"

#include <algorithm>
#include <iostream>
#include <tuple>
#include <utility>

#include "api/autoscaling/mode.h"
#include "api/json/json_writer.h"
#include "operator/cli/cluster/autoscalers.h"
#include "operator/cli/cluster/overrides/override_request.h"
#include "operator/cluster/overrides.h"
#include "operator/cluster/resources.h"
#include "operator/kube/unserved.h"

namespace ballast::cli {
namespace {

using cluster::kOverrides;

// As authorizers say it, `User "bob" cannot create resource ...`: whatever refuses objects at
// admission answers kForbidden as well.
bool IsLackOfRights(const Error& error) {
  return error.code == Code::kForbidden && error.message.find(" cannot ") != std::string::npos;
}

// API servers tell kForbidden whoever lacks the rights, and kNotFound whoever names a namespace
// that they do not have, whether or not they serve the kind.
Error Explain(kube::Transport& transport, const Error& error, const char* verb) {
  const bool none = error.code == Code::kForbidden || error.code == Code::kNotFound;
  if (none && kube::IsUnserved(transport, kOverrides)) {
    return {
        Code::kNotFound,
        "the cluster has no AutoScaleOverrides: the CRD is not installed (ballast crd | kubectl "
        "apply -f -)"};
  }
  std::string why = "overrides cannot be " + std::string(verb) + ": " + error.message;
  if (error.message.find("exceeded quota") != std::string::npos) {
    why +=
        " (ended overrides count, too, for 30 days: delete some, or raise the namespace's "
        "ResourceQuota)";
  } else if (IsLackOfRights(error)) {
    why += " (the ClusterRole ballast-edit-overrides has the rights)";
  } else if (error.message.find("failed calling webhook") != std::string::npos) {
    why +=
        " (until the operator's webhook answers, an HPA is paused by its annotations, a policy by "
        "spec.mode: Disabled)";
  }
  return {error.code == Code::kNotFound ? Code::kUnavailable : error.code, why};
}

Result<api::AutoScaleOverride> Decoded(const json::Document& document) {
  json::Decoder decoder(document);
  api::AutoScaleOverride override;
  api::Decode(decoder.root(), override);
  TRY(decoder.status());
  return override;
}

std::string EndPatch(const std::string& uid, Time now) {
  json::Writer out;
  out.Object([&] {
    out.Object("metadata", [&] { out.Field("uid", uid); });
    out.Field("ended", Print(Whole(now)));
  });
  return out.Take();
}

Status End(kube::Transport& transport, const api::AutoScaleOverride& override, Time now) {
  kube::Client client(transport);
  ASSIGN_OR_RETURN(const json::Document patched,
                   client.PatchObject(kOverrides, override.key(), "", kube::PatchType::kMerge,
                                      EndPatch(override.metadata.uid, now)));
  ASSIGN_OR_RETURN(const api::AutoScaleOverride after, Decoded(patched));
  return !after.ended.empty() ? Status(Done{})
                              : client.Delete(kOverrides, override.key(), override.metadata.uid);
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

Result<api::AutoScaleOverride> CreateOverride(kube::Transport& transport,
                                              const std::string& namespace_,
                                              const api::OverrideSpec& spec) {
  const auto created = kube::Client(transport).Create(kOverrides, namespace_, PrintOverride(spec));
  if (!created.ok()) {
    return Explain(transport, created.error(), "created");
  }
  return Decoded(*created);
}

Result<std::vector<api::AutoScaleOverride>> ListOverrides(kube::Transport& transport,
                                                          const std::string& namespace_) {
  std::vector<api::AutoScaleOverride> all;
  const Status listed = kube::Client(transport).List(kOverrides, {.namespace_ = namespace_},
                                                     [&](const json::Cursor& item) {
                                                       api::Decode(item, all.emplace_back());
                                                       return Status(Done{});
                                                     });
  if (!listed.ok()) {
    return Explain(transport, listed.error(), "read");
  }
  std::ranges::sort(all, {}, [](const api::AutoScaleOverride& one) {
    return std::tie(one.metadata.namespace_, one.spec.until, one.metadata.name);
  });
  return all;
}

Result<api::AutoScaleOverride> ReadOverride(kube::Transport& transport, const api::ObjectKey& key) {
  const auto read = kube::Client(transport).Get(kOverrides, key);
  if (!read.ok() && read.error().code == Code::kNotFound &&
      !kube::IsUnserved(transport, kOverrides)) {
    return Error{Code::kNotFound, "there is no override " + key.name + " in namespace " +
                                      key.namespace_ + "; ballast overrides lists them"};
  }
  if (!read.ok()) {
    return Explain(transport, read.error(), "read");
  }
  return Decoded(*read);
}

Status EndOverride(kube::Transport& transport, const api::AutoScaleOverride& override, Time now) {
  const Status done = End(transport, override, now);
  if (!done.ok() && done.error().code != Code::kNotFound) {
    return Explain(transport, done.error(), "ended");
  }
  return Done{};
}

bool HasEnded(const api::AutoScaleOverride& override, Time now) {
  return override.IsOver(now) || override.status.phase == cluster::kPhaseExpired ||
         override.status.phase == cluster::kPhaseInvalid;
}

}  // namespace ballast::cli
