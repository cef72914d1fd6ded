// The memory of managed HorizontalPodAutoscalers on the API server, where policies have their
// status: ConfigMaps in each namespace, with an entry for each HPA. So a replica whose store is
// empty, or older than another replica's, continues from it (status_memory.h).
//
// There are several, because every write of an entry is a write of a whole object, whose size is
// limited: which one has an HPA's entry follows from its name. A write also removes entries of HPAs
// that are gone.
//
// Only the leader writes it, and each HPA's entry by itself, so that two HPAs never wait for each
// other. An entry replaces only the one that this process has written or read last: a write that
// arrives late does not undo what another leader has remembered meanwhile.
//
// Thread-safety: any thread.
// Errors: the API server's.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/kubernetes/meta.h"
#include "operator/kube/client.h"
#include "operator/session/status_memory.h"

namespace ballast::controllers {

// The object that has the entry of that HPA: "ballast-hpa-memory-7".
api::ObjectKey MemoryObjectOf(const api::ObjectKey& hpa);

// The entry of the HPA in the text of its ConfigMap; that of an earlier HPA of the same name, or
// none, is empty. kInvalid: it is damaged.
Result<session::StatusMemory> DecodeMemoryEntry(const json::Document& config_map,
                                                const api::Autoscaler& hpa);

class MemoryObjects {
 public:
  // Whether there is such an HPA.
  using Exists = std::function<bool(const api::ObjectKey& hpa)>;

  // `client` and what `exists` refers to must outlive the MemoryObjects.
  MemoryObjects(kube::Client& client, Exists exists)
      : client_(client), exists_(std::move(exists)) {}

  Result<session::StatusMemory> Read(const api::Autoscaler& hpa);
  // `entry` as EncodeMemoryEntry (status_memory.h) returns it; empty: removes the HPA's. Creates
  // the object if there is none. kConflict: somebody else is writing the entry too.
  Status Write(const api::ObjectKey& hpa, const std::string& entry);

 private:
  using Entries = std::map<std::string, std::string>;  // by the HPA's name
  // What is known of an entry.
  struct Seen {
    std::string entry;    // empty: there is none
    bool filled = false;  // whether the object has any entries
  };

  Status WriteOnce(const api::ObjectKey& hpa, const std::string& entry);
  // Reads it unless it is known. Absent: there is no object.
  Result<std::optional<Seen>> Look(const api::ObjectKey& hpa);
  // Returns what is known of the HPA's entry from its object.
  Seen See(const api::ObjectKey& hpa, const json::Document& config_map);
  void Know(const api::ObjectKey& hpa, std::optional<Seen> seen);
  // A JSON patch that replaces the HPA's entry, unless it is another one than `before`, and removes
  // those of HPAs that are gone.
  std::string PrintPatch(const api::ObjectKey& hpa, const Seen& before, const std::string& entry);
  // The entries to remove with a write of the object; they are not returned again.
  Entries TakeGone(const api::ObjectKey& object);

  kube::Client& client_;
  const Exists exists_;
  std::mutex mutex_;                        // guards: everything below
  std::map<api::ObjectKey, Seen> seen_;     // of HPAs of which it is known
  std::map<api::ObjectKey, Entries> gone_;  // by object: entries of HPAs that do not exist
};

}  // namespace ballast::controllers
