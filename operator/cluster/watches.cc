#include "operator/cluster/watches.h"

#include <chrono>
#include <utility>

#include "api/autoscaling/annotation.h"
#include "api/autoscaling/mode.h"
#include "api/autoscaling/schema.h"
#include "api/autoscaling/strict_fields.h"
#include "api/base/printable.h"
#include "operator/cluster/key_of_parts.h"
#include "operator/cluster/resources.h"

namespace ballast::cluster {
namespace {

// List responses omit the kind of their items, so it is restored. Fields that an object lacks,
// because it was stored before the API had a default for them, keep the defaults of
// api/autoscaling/types.h.
api::Autoscaler ReadAs(const json::Cursor& object, const char* api_version, const char* kind) {
  api::Autoscaler autoscaler;
  api::Decode(object, autoscaler);
  autoscaler.api_version = api_version;
  autoscaler.kind = kind;
  return autoscaler;
}

api::Autoscaler ReadPolicy(const json::Cursor& object) {
  return ReadAs(object, api::kPolicyApiVersion, api::kPolicyKind);
}

// The first field of an HPA's spec that this version does not know; empty: there is none. A server
// can be newer than this program.
std::string UnknownField(const json::Cursor& spec) {
  static const api::SchemaField& schema = *api::HpaSchema().Find("spec");
  const api::FieldErrors errors = CheckFields(spec, schema, api::Origin::kBuiltIn);
  return errors.empty() ? "" : "spec." + errors.front().field;
}

// Looks for unknown fields only where the HPA may be managed, for speed.
runtime::ObjectReader<api::Autoscaler> ReadHpas(bool manages_by_default) {
  return runtime::ByCursor<api::Autoscaler>([=](const json::Cursor& object) {
    api::Autoscaler hpa = ReadAs(object, api::kHpaApiVersion, api::kHpaKind);
    const std::string* mode = api::FindAnnotation(hpa, api::kHpaMode);
    if (mode == nullptr ? manages_by_default : *mode == "manage") {
      hpa.unknown_field = UnknownField(object.Member("spec"));
    }
    return hpa;
  });
}

// API servers send no bookmarks for events, so silence is no sign of a dead one.
runtime::WatchSource Rescales() {
  return {.resource = kRescaleEvents,
          .field_selector = kRescaleEventSelector,
          .idle_timeout = 2 * runtime::WatchSource().watch_timeout + std::chrono::minutes(1)};
}

// As much of it goes into the status, which quotes what the object says.
constexpr std::size_t kMostOfProblem = 300;

// A judgement stays, whether or not there is a webhook by now.
std::string OwnerOf(const api::AutoScaleOverride& override, bool stamped) {
  const std::string& judged = override.status.owner;
  const std::string& written = override.spec.owner;
  return !judged.empty() ? judged : stamped && !written.empty() ? written : api::kUnknownOwner;
}

runtime::ObjectReader<api::AutoScaleOverride> ReadOverrides(ObjectReading reading) {
  return runtime::ByCursor<api::AutoScaleOverride>([=](const json::Cursor& object) {
    api::AutoScaleOverride override;
    api::Decode(object, override);
    override.spec.owner = OwnerOf(override, reading.stamps_owners);
    const auto errors = api::CheckOverride(override, reading.longest_override);
    override.problem = errors.empty() ? "" : Printable(Print(errors.front()), kMostOfProblem);
    return override;
  });
}

constexpr const char* kByTarget = "target";
constexpr const char* kByHpa = "hpa";

// Equal for two autoscalers of one target.
std::string PrintTarget(const std::string& namespace_,
                        const api::CrossVersionObjectReference& target) {
  return KeyOfParts({namespace_, kube::GroupOf(target.api_version), target.kind, target.name});
}

std::pair<std::string, std::string> KindOf(const api::CrossVersionObjectReference& target) {
  return {kube::GroupOf(target.api_version), target.kind};
}

std::string TargetOf(const api::Autoscaler& autoscaler) {
  return PrintTarget(autoscaler.metadata.namespace_, autoscaler.spec.scale_target_ref);
}

std::vector<std::string> IndexTarget(const api::ObjectKey&, const api::Autoscaler& autoscaler) {
  return {TargetOf(autoscaler)};
}

}  // namespace

Watches::Watches(kube::Transport& transport, process::Clock& clock,
                 const std::vector<std::string>& namespaces, ObjectReading reading,
                 process::TurnPool* pool)
    : policies(transport, clock, {.resource = kPolicies}, namespaces,
               runtime::ByCursor<api::Autoscaler>(ReadPolicy), pool),
      hpas(transport, clock, {.resource = kHpas}, namespaces, ReadHpas(reading.manages_by_default),
           pool),
      overrides(transport, clock, {.resource = kOverrides, .may_be_absent = true}, namespaces,
                ReadOverrides(reading), pool),
      rescales(transport, clock, Rescales(), namespaces,
               runtime::ByCursor<RescaleEvent>(DecodeRescaleEvent), pool),
      pods(transport, clock, {.resource = kPods}, namespaces,
           ReadPackedPods(std::make_shared<PodPacker>()), pool) {
  policies.AddIndex(kByTarget, IndexTarget);
  hpas.AddIndex(kByTarget, IndexTarget);
  overrides.AddIndex(kByTarget, [](const api::ObjectKey&, const api::AutoScaleOverride& override) {
    return std::vector<std::string>{override.target().Print()};
  });
  rescales.AddIndex(kByHpa, [](const api::ObjectKey&, const RescaleEvent& event) {
    return std::vector<std::string>{event.hpa.Print()};
  });
  for (auto* autoscalers : {&policies, &hpas}) {
    autoscalers->AddHandler([this](const auto& change) {
      if (change.after != nullptr) {
        AddKind(*change.after);
      }
      if (change.before != nullptr) {
        RemoveKind(*change.before);
      }
    });
  }
}

Watches::~Watches() = default;

void Watches::AddKind(const api::Autoscaler& autoscaler) {
  const api::CrossVersionObjectReference& target = autoscaler.spec.scale_target_ref;
  const std::lock_guard lock(mutex_);
  Kind& kind = kinds_[autoscaler.metadata.namespace_][KindOf(target)];
  kind.api_version = target.api_version;
  ++kind.autoscalers;
}

void Watches::RemoveKind(const api::Autoscaler& autoscaler) {
  const std::lock_guard lock(mutex_);
  const auto kinds = kinds_.find(autoscaler.metadata.namespace_);
  const auto kind = kinds->second.find(KindOf(autoscaler.spec.scale_target_ref));
  if (--kind->second.autoscalers > 0) {
    return;
  }
  kinds->second.erase(kind);
  if (kinds->second.empty()) {
    kinds_.erase(kinds);
  }
}

AutoscalerPointer Watches::Find(const api::ObjectReference& autoscaler) const {
  return (autoscaler.kind == api::kPolicyKind ? policies : hpas).Get(autoscaler.key());
}

std::vector<AutoscalerPointer> Watches::PoliciesOf(const api::Autoscaler& autoscaler) const {
  return policies.ByIndex(autoscaler.metadata.namespace_, kByTarget, TargetOf(autoscaler));
}

std::vector<AutoscalerPointer> Watches::HpasOf(const api::Autoscaler& autoscaler) const {
  return hpas.ByIndex(autoscaler.metadata.namespace_, kByTarget, TargetOf(autoscaler));
}

std::vector<OverridePointer> Watches::OverridesOf(const api::Autoscaler& autoscaler,
                                                  Time since) const {
  const auto matters = [&](const api::AutoScaleOverride& override) {
    return override.end() > since && override.Selects(autoscaler.metadata);
  };
  api::ObjectReference name = autoscaler.reference();
  auto all = overrides.ByIndex(name.namespace_, kByTarget, name.Print(), matters);
  name.name.clear();  // those by labels
  const auto more = overrides.ByIndex(name.namespace_, kByTarget, name.Print(), matters);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<api::ObjectReference> Watches::SubjectsOf(
    const api::AutoScaleOverride& override) const {
  if (!override.spec.selector) {
    return {override.target()};
  }
  std::vector<api::ObjectReference> subjects;
  const auto& kind = override.spec.kind == api::kPolicyKind ? policies : hpas;
  for (const AutoscalerPointer& autoscaler : kind.InNamespace(override.metadata.namespace_)) {
    if (override.Selects(autoscaler->metadata)) {
      subjects.push_back(autoscaler->reference());
    }
  }
  return subjects;
}

std::vector<AutoscalerPointer> Watches::AutoscalersOf(
    const std::string& namespace_, const api::CrossVersionObjectReference& target) const {
  const std::string value = PrintTarget(namespace_, target);
  auto all = policies.ByIndex(namespace_, kByTarget, value);
  const auto more = hpas.ByIndex(namespace_, kByTarget, value);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

RescaleEventPointer Watches::LastRescale(const api::Autoscaler& hpa, std::int32_t size,
                                         Time since) const {
  return FindRescale(rescales.ByIndex(hpa.metadata.namespace_, kByHpa, hpa.key().Print()),
                     hpa.metadata.uid, size, since);
}

std::vector<api::CrossVersionObjectReference> Watches::TargetKinds(
    const std::string& namespace_) const {
  std::vector<api::CrossVersionObjectReference> kinds;
  const std::lock_guard lock(mutex_);
  if (const auto found = kinds_.find(namespace_); found != kinds_.end()) {
    for (const auto& [name, kind] : found->second) {
      kinds.push_back({.api_version = kind.api_version, .kind = name.second, .name = ""});
    }
  }
  return kinds;
}

void Watches::Start() {
  policies.Start();
  hpas.Start();
  overrides.Start();
  rescales.Start();
  pods.Start();
}

void Watches::Stop() {
  policies.Stop();
  hpas.Stop();
  overrides.Stop();
  rescales.Stop();
  pods.Stop();
}

std::vector<telemetry::WatchDebugState> Watches::DebugState() const {
  std::vector<telemetry::WatchDebugState> all = policies.DebugState();
  for (const auto& some :
       {hpas.DebugState(), overrides.DebugState(), rescales.DebugState(), pods.DebugState()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

api::ObjectKey TargetKey(const api::Autoscaler& autoscaler) {
  return {autoscaler.metadata.namespace_, autoscaler.spec.scale_target_ref.name};
}

bool SameTarget(const api::Autoscaler& a, const api::Autoscaler& b) {
  return a.metadata.namespace_ == b.metadata.namespace_ && api::SameTarget(a.spec, b.spec);
}

}  // namespace ballast::cluster
