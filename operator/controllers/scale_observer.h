// Watches what happens to a policy's replicas between its decisions: that somebody else changes
// them, and that the pods of a scale event become ready. Both go into the ledger.
//
// Thread-safety: one ScaleObserver belongs to one policy and is used by one thread at a time.
#pragma once

#include <functional>
#include <optional>

#include "api/decision/snapshot.h"
#include "store/ledger.h"

namespace ballast::controllers {

class ScaleObserver {
 public:
  ScaleObserver() = default;
  // What an earlier run has seen.
  explicit ScaleObserver(const store::Recollection& known);

  // Who set the scale's replicas; absent where nobody can tell.
  using AskManager = std::function<std::optional<api::FieldManager>()>;

  // At each evaluation. `ask` only when somebody else changed the replicas.
  void See(const engine::Snapshot& snapshot, store::Ledger& ledger, const AskManager& ask);

  // The operator has written the scale, or tried to.
  void Wrote(const store::ScaleWrite& write);
  void MayHaveWritten();

 private:
  std::optional<std::int32_t> replicas_;      // as last seen or written; absent: not known
  std::optional<store::ScaleWrite> unready_;  // the newest scale event, until its pods are ready
};

}  // namespace ballast::controllers
