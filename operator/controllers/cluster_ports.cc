#include "operator/controllers/cluster_ports.h"

#include <string>
#include <utility>

#include "operator/cluster/resources.h"
#include "operator/process/log.h"

namespace ballast::controllers {
namespace {

using Kind = engine::Outcome::Kind;

// Who reports an event. For HPAs it is the name that `kubectl describe` shows for Kubernetes' own.
constexpr const char* kPolicyController = "ballast.dev/autoscaler";
constexpr const char* kHpaController = "horizontal-pod-autoscaler";

}  // namespace

session::LiveScale ClusterScales::ReadLive(const api::Autoscaler& autoscaler) {
  const process::SteadyTime asked = clock_.Steady();
  Result<api::Scale> scale = ReadScale(autoscaler);
  Result<api::Scale> managed = scale.ok() ? ReadManaged(autoscaler) : scale.error();
  return {asked, std::move(scale), std::move(managed)};
}

Result<api::Scale> ClusterScales::ReadScale(const api::Autoscaler& autoscaler) {
  ASSIGN_OR_RETURN(const kube::Resource resource,
                   targets_.ResolveKnown(autoscaler.spec.scale_target_ref));
  const api::ObjectKey target = cluster::TargetKey(autoscaler);
  Result<api::Scale> scale = client_.GetScale(resource, target);
  targets_.OnAnswered(resource, target, scale);
  return scale;
}

// The API server returns Scales without managedFields, so the object itself is read.
Result<api::Scale> ClusterScales::ReadManaged(const api::Autoscaler& autoscaler) {
  ASSIGN_OR_RETURN(const kube::Resource resource,
                   targets_.ResolveKnown(autoscaler.spec.scale_target_ref));
  ASSIGN_OR_RETURN(const json::Document object,
                   client_.Get(resource, cluster::TargetKey(autoscaler)));
  json::Decoder decoder(object);
  api::Scale scale;
  api::Decode(decoder.root(), scale);
  return scale;
}

session::ScaleAnswer ClusterScales::Write(const session::WriteScale& request) {
  const api::Autoscaler& autoscaler = request.snapshot->autoscaler;
  // The last line of defence of the first invariant; the engine is not expected to ever need it.
  if (!request.bounds.Contain(request.change.to)) {
    return session::NotWritten("refused: " + std::to_string(request.change.to) +
                                   " replicas are outside of minReplicas and maxReplicas",
                               clock_.Steady());
  }
  const auto resource = targets_.ResolveKnown(autoscaler.spec.scale_target_ref);
  if (!resource.ok()) {
    return session::NotWritten(resource.error().message, clock_.Steady());
  }
  const api::ObjectKey target = cluster::TargetKey(autoscaler);
  const process::SteadyTime sent = clock_.Steady();
  senders_.Sends(request.change.uid, autoscaler.metadata.uid, sent);
  const Result<api::Scale> written = client_.PatchScale(*resource, target, request.change);
  if (written.ok()) {
    targets_.OnAnswered(*resource, target, written);
    return {.outcome = engine::Outcome{Kind::kWritten, ""}, .sent = sent};
  }
  if (session::MayHaveHappened(written.error().code)) {
    return {.lost = written.error().message, .sent = sent, .live = ReadLive(autoscaler)};
  }
  // The view that the decision was made from may be out of date: the next one reads the scale.
  targets_.Invalidate(autoscaler.spec.scale_target_ref, target);
  return session::NotWritten(written.error().message, sent);
}

Result<session::StoredAutoscaler> ClusterAutoscalers::Read(const api::Autoscaler& autoscaler) {
  if (!autoscaler.is_policy()) {
    Result<session::StatusMemory> memory = memories_.Read(autoscaler);
    // What stays wrong is no reason to ask again; the next evaluation overwrites it.
    if (!memory.ok() && memory.error().code != Code::kInvalid &&
        memory.error().code != Code::kForbidden) {
      return memory.error();
    }
    return session::StoredAutoscaler{.memory = std::move(memory)};
  }
  ASSIGN_OR_RETURN(const json::Document stored, client_.Get(cluster::kPolicies, autoscaler.key()));
  json::Decoder decoder(stored);
  const json::Cursor metadata = decoder.root().Member("metadata");
  std::int64_t generation = 0;
  metadata.Member("generation").Read(generation);
  return session::StoredAutoscaler{std::string(metadata.Member("resourceVersion").Text()),
                                   generation, session::DecodeStatusMemory(stored)};
}

bool ClusterAutoscalers::WriteMemory(const api::ObjectKey& hpa, const std::string& entry) {
  const Status written = memories_.Write(hpa, entry);
  if (!written.ok()) {
    const std::string name = api::PrintName({api::kHpaKind, hpa.namespace_, hpa.name});
    log::Warn(log::About{name, Name(written.error().code)},
              entry.empty()
                  ? "the memory of an HPA could not be removed; it says nothing of any other "
                    "HPA, also not of one of the same name"
                  : "the memory of an HPA could not be written; it will be tried again in a "
                    "minute",
              {{"autoscaler", name},
               {"configmap", MemoryObjectOf(hpa).name},
               {"error", written.error().message}});
  }
  return written.ok();
}

session::StatusAnswer ClusterAutoscalers::Write(const session::WriteStatus& request) {
  const api::ObjectReference& of = request.autoscaler;
  const bool remembered = !request.memory || WriteMemory(of.key(), *request.memory);
  if (request.merge_patch.empty()) {
    return {remembered, request.of.resource_version, remembered};
  }
  const kube::Resource& resource =
      of.kind == api::kPolicyKind ? cluster::kPolicies : cluster::kHpas;
  Result<std::string> version =
      client_.PatchStatus(resource, of.key(), request.of, request.merge_patch);
  const bool written = version.ok();
  if (!written && version.error().code == Code::kConflict) {
    const auto stored = client_.GetMetadata(resource, of.key());
    version = stored.ok() ? Result<std::string>(stored->resource_version) : stored.error();
  }
  return {written, std::move(version), remembered};
}

session::Ports ClusterPorts::With(store::Ledger& ledger) {
  const auto emit = [this](const api::Autoscaler& autoscaler, const engine::Event& event) {
    const runtime::InvolvedObject regarding{autoscaler.api_version, autoscaler.kind,
                                            autoscaler.metadata.namespace_,
                                            autoscaler.metadata.name, autoscaler.metadata.uid};
    events_.Record({.regarding = regarding,
                    .type = event.type,
                    .reason = event.reason,
                    .action = "Scale",
                    .note = event.message,
                    .controller = autoscaler.is_policy() ? kPolicyController : kHpaController});
  };
  return {clock_, source_, scales_, autoscalers_, ledger, emit};
}

}  // namespace ballast::controllers
