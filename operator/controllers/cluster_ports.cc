#include "operator/controllers/cluster_ports.h"

#include <string>
#include <utility>

#include "operator/cluster/watches.h"

namespace ballast::controllers {
namespace {

using Kind = engine::Outcome::Kind;

// Whether a write that failed with `code` may have been carried out.
bool MayHaveHappened(Code code) {
  return code == Code::kTimeout || code == Code::kUnavailable || code == Code::kCorrupt ||
         code == Code::kInternal;
}

}  // namespace

Result<api::Scale> ClusterScales::Read(const api::Autoscaler& policy) {
  ASSIGN_OR_RETURN(const kube::Resource resource, targets_.Resolve(policy.spec.scale_target_ref));
  return targets_.Read(resource, cluster::TargetKey(policy));
}

Result<api::Scale> ClusterScales::ReadLive(const api::Autoscaler& policy) {
  ASSIGN_OR_RETURN(const kube::Resource resource, targets_.Resolve(policy.spec.scale_target_ref));
  const api::ObjectKey target = cluster::TargetKey(policy);
  Result<api::Scale> scale = client_.GetScale(resource, target);
  targets_.Learned(resource, target, scale);
  return scale;
}

// The API server returns Scales without managedFields, so the object itself is read.
std::optional<api::FieldManager> ClusterScales::FindManager(const api::Autoscaler& policy) {
  const auto resource = targets_.Resolve(policy.spec.scale_target_ref);
  if (!resource.ok()) {
    return std::nullopt;
  }
  const Result<json::Document> object = client_.Get(*resource, cluster::TargetKey(policy));
  if (!object.ok()) {
    return std::nullopt;
  }
  json::Decoder decoder(*object);
  api::Scale scale;
  api::Decode(decoder.root(), scale);
  return scale.replicas_manager;
}

ScaleAnswer ClusterScales::Write(const WriteScale& request) {
  const api::Autoscaler& policy = request.snapshot->autoscaler;
  // The last line of defence of the first invariant; the engine is not expected to ever need it.
  if (!request.bounds.Contain(request.change.to)) {
    return NotWritten("refused: " + std::to_string(request.change.to) +
                          " replicas are outside of minReplicas and maxReplicas",
                      clock_.Steady());
  }
  const auto resource = targets_.Resolve(policy.spec.scale_target_ref);
  if (!resource.ok()) {
    return NotWritten(resource.error().message, clock_.Steady());
  }
  const api::ObjectKey target = cluster::TargetKey(policy);
  const runtime::SteadyTime sent = clock_.Steady();
  const Result<api::Scale> written = client_.PatchScale(*resource, target, request.change);
  if (written.ok()) {
    targets_.Learned(*resource, target, written);
    return {.outcome = engine::Outcome{Kind::kWritten, ""}, .sent = sent};
  }
  if (MayHaveHappened(written.error().code)) {
    return {.lost = written.error().message, .sent = sent};
  }
  // The view that the decision was made from may be out of date: the next one reads the scale.
  targets_.Refused(*resource, target);
  return NotWritten(written.error().message, sent);
}

Result<PolicyPort::Stored> ClusterPolicies::Read(const api::ObjectKey& policy) {
  ASSIGN_OR_RETURN(const json::Document stored, client_.Get(cluster::kPolicies, policy));
  json::Decoder decoder(stored);
  const auto version = decoder.root().Member("metadata").Member("resourceVersion").Text();
  return Stored{std::string(version), DecodeStatusMemory(stored)};
}

StatusAnswer ClusterPolicies::Write(const WriteStatus& request) {
  Result<std::string> version =
      client_.PatchStatus(cluster::kPolicies, request.policy, request.of, request.merge_patch);
  const bool written = version.ok();
  if (!written && version.error().code == Code::kConflict) {
    const auto stored = client_.GetMetadata(cluster::kPolicies, request.policy);
    version = stored.ok() ? Result<std::string>(stored->resource_version) : stored.error();
  }
  return {written, std::move(version)};
}

Ports ClusterPorts::With(store::Ledger& ledger) {
  const auto emit = [this](const api::Autoscaler& policy, const engine::Event& event) {
    const runtime::ObjectReference regarding{policy.api_version, policy.kind,
                                             policy.metadata.namespace_, policy.metadata.name,
                                             policy.metadata.uid};
    events_.Record({regarding, event.type, event.reason, "Scale", event.message});
  };
  return {clock_, source_, scales_, policies_, ledger, emit};
}

}  // namespace ballast::controllers
