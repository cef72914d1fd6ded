#include "operator/controllers/memory_object.h"

#include <string_view>
#include <utility>

#include "api/base/stable_hash.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "operator/cluster/hpa_memory_name.h"

namespace ballast::controllers {
namespace {

const kube::Resource kConfigMaps{.version = "v1", .plural = "configmaps", .kind = "ConfigMap"};

// How many entries one write removes at most: a patch has a limited size.
constexpr std::size_t kMostRemoved = 100;

// The whole object, with that entry.
std::string PrintObject(const std::string& object, const std::string& name,
                        const std::string& entry) {
  json::Writer out;
  out.Object([&] {
    out.Field("apiVersion", kConfigMaps.ApiVersion());
    out.Field("kind", kConfigMaps.kind);
    out.Object("metadata", [&] {
      out.Field("name", object);
      out.Object("labels", [&] {
        out.Field("app.kubernetes.io/component", "hpa-memory");
        out.Field("app.kubernetes.io/managed-by", "ballast");
      });
    });
    out.Object("data", [&] { out.Field(name, entry); });
  });
  return out.Take();
}

void PrintTest(json::Writer& out, const std::string& path, const std::string& value) {
  out.Object([&] {
    out.Field("op", "test");
    out.Field("path", path);
    out.Key("value");
    value.empty() ? out.Null() : out.Value(value);
  });
}

void PrintRemoval(json::Writer& out, const std::string& path) {
  out.Object([&] {
    out.Field("op", "remove");
    out.Field("path", path);
  });
}

}  // namespace

api::ObjectKey MemoryObjectOf(const api::ObjectKey& hpa) {
  return {hpa.namespace_,
          cluster::HpaMemoryName(StableHash(hpa.name) % cluster::kHpaMemoryObjects)};
}

Result<session::StatusMemory> DecodeMemoryEntry(const json::Document& config_map,
                                                const api::Autoscaler& hpa) {
  json::Decoder decoder(config_map);
  const std::string text(decoder.root().Member("data").Member(hpa.metadata.name).Text());
  TRY(decoder.status());
  if (text.empty()) {
    return session::StatusMemory();
  }
  ASSIGN_OR_RETURN(const json::Document entry, json::Parse(text));
  json::Decoder parts(entry);
  if (parts.root().Member("uid").Text() != hpa.metadata.uid) {
    return session::StatusMemory();
  }
  session::StatusMemory remembered;
  session::Decode(parts.root(), remembered);
  TRY(parts.status());
  return remembered;
}

Result<session::StatusMemory> MemoryObjects::Read(const api::Autoscaler& hpa) {
  Know(hpa.key(), std::nullopt);
  const auto object = client_.Get(kConfigMaps, MemoryObjectOf(hpa.key()));
  if (!object.ok()) {
    return object.error().code == Code::kNotFound
               ? Result<session::StatusMemory>(session::StatusMemory())
               : object.error();
  }
  Know(hpa.key(), See(hpa.key(), *object));
  return DecodeMemoryEntry(*object, hpa);
}

MemoryObjects::Seen MemoryObjects::See(const api::ObjectKey& hpa,
                                       const json::Document& config_map) {
  json::Decoder decoder(config_map);
  const json::Cursor data = decoder.root().Member("data");
  Entries gone;
  for (const auto& [name, entry] : data.Members()) {
    const std::string_view text = entry.Text();
    if (!text.empty() && !exists_({hpa.namespace_, std::string(name)})) {
      gone.emplace(name, text);
    }
  }
  const std::lock_guard lock(mutex_);
  gone_[MemoryObjectOf(hpa)] = std::move(gone);
  return {std::string(data.Member(hpa.name).Text()), data.IsObject()};
}

MemoryObjects::Entries MemoryObjects::TakeGone(const api::ObjectKey& object) {
  const std::lock_guard lock(mutex_);
  Entries taken;
  const auto found = gone_.find(object);
  while (found != gone_.end() && !found->second.empty() && taken.size() < kMostRemoved) {
    taken.insert(found->second.extract(found->second.begin()));
  }
  // It may have been made anew since.
  std::erase_if(taken, [&](const auto& entry) {
    return exists_({object.namespace_, entry.first});
  });
  return taken;
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
  const auto object = client_.Get(kConfigMaps, MemoryObjectOf(hpa));
  if (!object.ok()) {
    return object.error().code == Code::kNotFound
               ? Result<std::optional<Seen>>(std::optional<Seen>())
               : object.error();
  }
  return std::optional(See(hpa, *object));
}

std::string MemoryObjects::PrintPatch(const api::ObjectKey& hpa, const Seen& before,
                                      const std::string& entry) {
  const auto path_of = [](const std::string& name) { return "/data/" + name; };
  json::Writer out;
  out.Array([&] {
    if (!before.filled) {  // then there is no member that a patch could add an entry to
      PrintTest(out, "/data", "");
      out.Object([&] {
        out.Field("op", "add");
        out.Field("path", "/data");
        out.Object("value", [&] { out.Field(hpa.name, entry); });
      });
      return;
    }
    PrintTest(out, path_of(hpa.name), before.entry);
    if (entry.empty()) {
      PrintRemoval(out, path_of(hpa.name));
    } else {
      out.Object([&] {
        out.Field("op", "add");
        out.Field("path", path_of(hpa.name));
        out.Field("value", entry);
      });
    }
    for (const auto& [name, old] : TakeGone(MemoryObjectOf(hpa))) {
      if (name != hpa.name) {
        PrintTest(out, path_of(name), old);
        PrintRemoval(out, path_of(name));
      }
    }
  });
  return out.Take();
}

Status MemoryObjects::WriteOnce(const api::ObjectKey& hpa, const std::string& entry) {
  ASSIGN_OR_RETURN(const std::optional<Seen> before, Look(hpa));
  if (before ? before->entry == entry : entry.empty()) {
    return Done{};
  }
  Know(hpa, std::nullopt);  // until it is known what became of the write
  const api::ObjectKey object = MemoryObjectOf(hpa);
  if (before) {
    TRY(client_.PatchObject(kConfigMaps, object, "", kube::PatchType::kJson,
                            PrintPatch(hpa, *before, entry)));
  } else {
    TRY(client_.Create(kConfigMaps, hpa.namespace_, PrintObject(object.name, hpa.name, entry)));
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
