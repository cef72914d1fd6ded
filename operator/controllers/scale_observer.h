// Watches what happens to a policy's replicas between its decisions: that somebody else changes
// them, and that the pods of a scale event become ready.
//
// Thread-safety: one ScaleObserver belongs to one policy and is used by one thread at a time.
#pragma once

#include <functional>
#include <optional>

#include "api/decision/snapshot.h"
#include "api/kubernetes/workload.h"
#include "store/records.h"

namespace ballast::controllers {

// For the ledger.
struct Observation {
  std::optional<store::ForeignChange> change;
  std::optional<Time> ready;  // since when the pods of the newest scale event are ready
};

class ScaleObserver {
 public:
  ScaleObserver() = default;
  // What an earlier run has seen.
  explicit ScaleObserver(const store::Recollection& known);

  // Who set the scale's replicas; absent where that cannot be told.
  using AskManager = std::function<std::optional<api::FieldManager>()>;

  // At each evaluation. `ask` is called only when somebody else changed the replicas.
  Observation See(const engine::Snapshot& snapshot, const AskManager& ask);

  // The operator has written the scale, or tried to.
  void Wrote(const store::ScaleWrite& write);
  void MayHaveWritten();

 private:
  std::optional<std::int32_t> replicas_;      // as last seen or written; absent: not known
  std::optional<store::ScaleWrite> unready_;  // the newest scale event, until its pods are ready
};

}  // namespace ballast::controllers
