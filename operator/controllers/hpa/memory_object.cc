#include "operator/controllers/hpa/memory_object.h"

#include <utility>

#include "api/json/json.h"

namespace ballast::controllers {
namespace {

const kube::Resource kConfigMaps{.version = "v1", .plural = "configmaps", .kind = "ConfigMap"};

api::ObjectKey ObjectIn(const std::string& namespace_) { return {namespace_, kMemoryObject}; }

std::string Print(const std::string& name, const std::string& entry, bool whole) {
  json::Writer out;
  out.Object([&] {
    if (whole) {
      out.Field("apiVersion", kConfigMaps.ApiVersion());
      out.Field("kind", kConfigMaps.kind);
      out.Object("metadata", [&] {
        out.Field("name", kMemoryObject);
        out.Object("labels", [&] { out.Field("app.kubernetes.io/managed-by", "ballast"); });
      });
    }
    out.Object("data", [&] {
      out.Key(name);
      entry.empty() ? out.Null() : out.Value(entry);
    });
  });
  return out.Take();
}

}  // namespace

std::string EncodeMemoryEntry(const std::string& uid, const StatusMemory& remembered) {
  json::Writer out;
  out.Object([&] {
    out.Field("uid", uid);
    EncodeStatusMemory(out, remembered);
  });
  return out.Take();
}

Result<StatusMemory> DecodeMemoryEntry(const json::Document& config_map,
                                       const api::Autoscaler& hpa) {
  json::Decoder decoder(config_map);
  const std::string text(decoder.root().Member("data").Member(hpa.metadata.name).Text());
  TRY(decoder.status());
  if (text.empty()) {
    return StatusMemory();
  }
  ASSIGN_OR_RETURN(const json::Document entry, json::Parse(text));
  json::Decoder parts(entry);
  if (parts.root().Member("uid").Text() != hpa.metadata.uid) {
    return StatusMemory();
  }
  StatusMemory remembered;
  controllers::Decode(parts.root(), remembered);
  TRY(parts.status());
  return remembered;
}

Result<StatusMemory> MemoryObjects::Read(const api::Autoscaler& hpa) {
  const auto object = client_.Get(kConfigMaps, ObjectIn(hpa.metadata.namespace_));
  if (!object.ok()) {
    return object.error().code == Code::kNotFound ? Result<StatusMemory>(StatusMemory())
                                                  : object.error();
  }
  return DecodeMemoryEntry(*object, hpa);
}

Status MemoryObjects::Write(const api::ObjectKey& hpa, const std::string& entry) {
  const auto patch = [&]() -> Status {
    TRY(client_.PatchObject(kConfigMaps, ObjectIn(hpa.namespace_), "", kube::Patch::kMerge,
                            Print(hpa.name, entry, false)));
    return Done{};
  };
  const Status patched = patch();
  if (patched.ok() || patched.error().code != Code::kNotFound) {
    return patched;
  }
  if (entry.empty()) {
    return Done{};  // there is none to remove
  }
  const auto created = client_.Create(kConfigMaps, hpa.namespace_, Print(hpa.name, entry, true));
  if (!created.ok() && created.error().code == Code::kConflict) {
    return patch();  // another HPA's first entry has created it
  }
  return created.ok() ? Status(Done{}) : created.error();
}

}  // namespace ballast::controllers
