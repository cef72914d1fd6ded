#include "api/kubernetes/meta.h"

#include <algorithm>
#include <utility>

#include "api/kubernetes/codec.h"

namespace ballast::api {

std::uint64_t VersionNumber(const std::string& resource_version) {
  return std::strtoull(resource_version.c_str(), nullptr, 10);
}

std::string GroupOf(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? "" : std::string(api_version.substr(0, slash));
}

const OwnerReference* ControllerOf(const ObjectMeta& meta) {
  const auto found = std::ranges::find_if(meta.owner_references, &OwnerReference::controller);
  return found == meta.owner_references.end() ? nullptr : &*found;
}

std::optional<FieldManager> LastManager(const json::Cursor& metadata,
                                        bool (*counts)(const json::Cursor& entry)) {
  std::optional<FieldManager> last;
  for (const json::Cursor& entry : metadata.Member("managedFields").Elements()) {
    if (!counts(entry)) {
      continue;
    }
    FieldManager manager;
    entry.Member("manager").Read(manager.manager);
    Decode(entry.Member("time"), manager.time);
    if (!last || last->time < manager.time) {
      last = std::move(manager);
    }
  }
  return last;
}

void Decode(const json::Cursor& in, OwnerReference& out) {
  in.Member("apiVersion").Read(out.api_version);
  in.Member("kind").Read(out.kind);
  in.Member("name").Read(out.name);
  in.Member("uid").Read(out.uid);
  in.Member("controller").Read(out.controller);
}

void Decode(const json::Cursor& in, ObjectMeta& out) {
  in.Member("name").Read(out.name);
  in.Member("namespace").Read(out.namespace_);
  in.Member("uid").Read(out.uid);
  in.Member("resourceVersion").Read(out.resource_version);
  in.Member("generation").Read(out.generation);
  Decode(in.Member("labels"), out.labels);
  Decode(in.Member("annotations"), out.annotations);
  Decode(in.Member("creationTimestamp"), out.creation_timestamp);
  Decode(in.Member("deletionTimestamp"), out.deletion_timestamp);
  Decode(in.Member("ownerReferences"), out.owner_references);
}

void Decode(const json::Cursor& in, Condition& out) {
  in.Member("type").Read(out.type);
  in.Member("status").Read(out.status);
  in.Member("reason").Read(out.reason);
  in.Member("message").Read(out.message);
  Decode(in.Member("lastTransitionTime"), out.last_transition_time);
  in.Member("observedGeneration").Read(out.observed_generation);
}

void Encode(json::Writer& out, const OwnerReference& owner) {
  out.Object([&] {
    out.Field("apiVersion", owner.api_version);
    out.Field("kind", owner.kind);
    out.Field("name", owner.name);
    out.Field("uid", owner.uid);
    if (owner.controller) {
      out.Field("controller", true);
    }
  });
}

void Encode(json::Writer& out, const ObjectMeta& meta) {
  out.Object([&] {
    EncodeField(out, "name", meta.name);
    EncodeField(out, "namespace", meta.namespace_);
    EncodeField(out, "uid", meta.uid);
    EncodeField(out, "resourceVersion", meta.resource_version);
    if (meta.generation != 0) {
      out.Field("generation", meta.generation);
    }
    EncodeField(out, "creationTimestamp", meta.creation_timestamp);
    EncodeField(out, "deletionTimestamp", meta.deletion_timestamp);
    EncodeField(out, "labels", meta.labels);
    EncodeField(out, "annotations", meta.annotations);
    EncodeField(out, "ownerReferences", meta.owner_references);
  });
}

void Encode(json::Writer& out, const Condition& condition) {
  out.Object([&] {
    out.Field("type", condition.type);
    out.Field("status", condition.status);
    EncodeField(out, "lastTransitionTime", condition.last_transition_time);
    EncodeField(out, "reason", condition.reason);
    EncodeField(out, "message", condition.message);
    out.Field("observedGeneration", condition.observed_generation);
  });
}

}  // namespace ballast::api
