#include "operator/controllers/hpa/memory_object.h"

#include <utility>

#include "api/json/json.h"
#include "api/json/json_writer.h"

namespace ballast::controllers {
namespace {

const kube::Resource kConfigMaps{.version = "v1", .plural = "configmaps", .kind = "ConfigMap"};

api::ObjectKey ObjectIn(const std::string& namespace_) { return {namespace_, kMemoryObject}; }

// The whole object, with that entry.
std::string PrintObject(const std::string& name, const std::string& entry) {
  json::Writer out;
  out.Object([&] {
    out.Field("apiVersion", kConfigMaps.ApiVersion());
    out.Field("kind", kConfigMaps.kind);
    out.Object("metadata", [&] {
      out.Field("name", kMemoryObject);
      out.Object("labels", [&] { out.Field("app.kubernetes.io/managed-by", "ballast"); });
    });
    out.Object("data", [&] { out.Field(name, entry); });
  });
  return out.Take();
}

// A JSON patch that replaces `before`, which may be null, by `after`; empty: removes it.
template <typename After>
std::string PrintPatch(const std::string& path, const std::string& before, const After& after) {
  json::Writer out;
  out.Array([&] {
    out.Object([&] {
      out.Field("op", "test");
      out.Field("path", path);
      out.Key("value");
      before.empty() ? out.Null() : out.Value(before);
    });
    out.Object([&] { after(out, path); });
  });
  return out.Take();
}

// The entry of an HPA in the text of the ConfigMap.
std::string EntryIn(const json::Document& config_map, const std::string& hpa) {
  json::Decoder decoder(config_map);
  return std::string(decoder.root().Member("data").Member(hpa).Text());
}

bool HasEntries(const json::Document& config_map) {
  json::Decoder decoder(config_map);
  return decoder.root().Member("data").IsObject();
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
  Know(hpa.key(), std::nullopt);
  const auto object = client_.Get(kConfigMaps, ObjectIn(hpa.metadata.namespace_));
  if (!object.ok()) {
    return object.error().code == Code::kNotFound ? Result<StatusMemory>(StatusMemory())
                                                  : object.error();
  }
  Know(hpa.key(), Seen{EntryIn(*object, hpa.metadata.name), HasEntries(*object)});
  return DecodeMemoryEntry(*object, hpa);
}

void MemoryObjects::Know(const api::ObjectKey& hpa, std::optional<Seen> seen) {
  const std::lock_guard lock(mutex_);
  if (seen) {
    seen_[hpa] = *std::move(seen);
  } else {
    seen_.erase(hpa);
  }
}

Result<std::optional<MemoryObjects::Seen>> MemoryObjects::Look(const api::ObjectKey& hpa) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = seen_.find(hpa); found != seen_.end()) {
      return std::optional(found->second);
    }
  }
  const auto object = client_.Get(kConfigMaps, ObjectIn(hpa.namespace_));
  if (!object.ok()) {
    return object.error().code == Code::kNotFound
               ? Result<std::optional<Seen>>(std::optional<Seen>())
               : object.error();
  }
  return std::optional(Seen{EntryIn(*object, hpa.name), HasEntries(*object)});
}

Status MemoryObjects::WriteOnce(const api::ObjectKey& hpa, const std::string& entry) {
  ASSIGN_OR_RETURN(const std::optional<Seen> before, Look(hpa));
  if (before ? before->entry == entry : entry.empty()) {
    return Done{};
  }
  Know(hpa, std::nullopt);  // until it is known what became of the write
  if (!before) {
    TRY(client_.Create(kConfigMaps, hpa.namespace_, PrintObject(hpa.name, entry)));
  } else {
    // An object without entries has no member that a patch could add one to.
    const std::string patch =
        before->filled ? PrintPatch("/data/" + hpa.name, before->entry,
                                    [&](json::Writer& out, const std::string& path) {
                                      out.Field("op", entry.empty() ? "remove" : "add");
                                      out.Field("path", path);
                                      if (!entry.empty()) {
                                        out.Field("value", entry);
                                      }
                                    })
                       : PrintPatch("/data", "", [&](json::Writer& out, const std::string& path) {
                           out.Field("op", "add");
                           out.Field("path", path);
                           out.Object("value", [&] { out.Field(hpa.name, entry); });
                         });
    TRY(client_.PatchObject(kConfigMaps, ObjectIn(hpa.namespace_), "", kube::Patch::kJson, patch));
  }
  if (!entry.empty()) {
    Know(hpa, Seen{entry, true});
  }
  return Done{};
}

Status MemoryObjects::Write(const api::ObjectKey& hpa, const std::string& entry) {
  const Status written = WriteOnce(hpa, entry);
  if (written.ok() ||
      (written.error().code != Code::kConflict && written.error().code != Code::kNotFound)) {
    return written;
  }
  return WriteOnce(hpa, entry);  // from what is there now
}

}  // namespace ballast::controllers
