// The memory of managed HorizontalPodAutoscalers on the API server, where policies have their
// status: a ConfigMap of that name in each namespace, with an entry for each HPA. So a replica
// whose store is empty, or older than another replica's, continues from it (status_memory.h).
//
// Only the leader writes it, and each HPA's entry by itself, so that two HPAs never wait for each
// other. An entry replaces only the one that this process has written or read last: a write that
// arrives late does not undo what another leader has remembered meanwhile.
//
// Thread-safety: any thread.
// Errors: the API server's.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/kubernetes/meta.h"
#include "operator/controllers/status_memory.h"
#include "operator/kube/client.h"

namespace ballast::controllers {

inline constexpr const char* kMemoryObject = "ballast-hpa-memory";

// The entry of an HPA with that uid: JSON text.
std::string EncodeMemoryEntry(const std::string& uid, const StatusMemory& remembered);

// The entry of the HPA in the text of the ConfigMap; that of an earlier HPA of the same name, or
// none, is empty. kInvalid: it is damaged.
Result<StatusMemory> DecodeMemoryEntry(const json::Document& config_map,
                                       const api::Autoscaler& hpa);

class MemoryObjects {
 public:
  // `client` must outlive the MemoryObjects.
  explicit MemoryObjects(kube::Client& client) : client_(client) {}

  Result<StatusMemory> Read(const api::Autoscaler& hpa);
  // `entry` as EncodeMemoryEntry returns it; empty: removes the HPA's. Creates the object if there
  // is none. kConflict: somebody else is writing the entry too.
  Status Write(const api::ObjectKey& hpa, const std::string& entry);

 private:
  // What is known of an entry.
  struct Seen {
    std::string entry;    // empty: there is none
    bool filled = false;  // whether the object has any entries
  };

  Status WriteOnce(const api::ObjectKey& hpa, const std::string& entry);
  // Reads it unless it is known. Absent: there is no object.
  Result<std::optional<Seen>> Look(const api::ObjectKey& hpa);
  void Know(const api::ObjectKey& hpa, std::optional<Seen> seen);

  kube::Client& client_;
  std::mutex mutex_;                     // guards: everything below
  std::map<api::ObjectKey, Seen> seen_;  // of HPAs of which it is known
};

}  // namespace ballast::controllers
