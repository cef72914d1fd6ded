// A Lease (coordination.k8s.io/v1) as leader election uses it: who leads, and for how long.
//
// Its times come from another process's clock. They are passed on as they are and compared for
// equality, but never with a clock of this process.
//
// Thread-safety: plain values, pure functions; Send: as the client.
// Errors: ReadLease returns kCorrupt; Send returns that and the client's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/base/result.h"
#include "api/json/json.h"
#include "api/kubernetes/meta.h"
#include "operator/kube/client.h"
#include "operator/kube/resource.h"

namespace ballast::runtime {

extern const kube::Resource kLeases;

struct LeaseRecord {
  std::string holder;  // empty: nobody
  std::int32_t duration_seconds = 0;
  std::string acquire_time;
  std::string renew_time;
  std::int32_t transitions = 0;  // how often the holder changed
  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

struct Lease {
  LeaseRecord record;
  std::string resource_version;
};

// kCorrupt, which names what cannot be read.
Result<Lease> ReadLease(const json::Document& document);

// The Lease with that record, to create it; with a resource version, a merge patch that applies to
// that version only.
std::string PrintLease(const api::ObjectKey& key, const LeaseRecord& record,
                       const std::string& resource_version = "");

// One call.
struct LeaseRequest {
  std::optional<LeaseRecord> write = std::nullopt;  // none: read the Lease
  std::string resource_version = {};                // change only this version; empty: create it
  friend bool operator==(const LeaseRequest&, const LeaseRequest&) = default;
};

// Returns the Lease as the server has it afterwards. kConflict: it has another version, or exists
// already.
Result<Lease> Send(kube::Client& client, const api::ObjectKey& key, const LeaseRequest& request);

}  // namespace ballast::runtime
