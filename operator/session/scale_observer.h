// Observes an autoscaler's replicas between its decisions: foreign changes, and the pods of a scale
// event becoming ready.
//
// Thread-safety: belongs to one autoscaler; one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "api/autoscaling/types.h"
#include "api/decision/snapshot.h"
#include "api/kubernetes/workload.h"
#include "operator/session/startup_times.h"
#include "store/records.h"

namespace ballast::session {

// What an evaluation found, for the ledger.
struct Observation {
  std::optional<store::ForeignChange> change;
  std::optional<Time> ready;  // since when the newest scale event's pods are ready
};

class ScaleObserver {
 public:
  ScaleObserver() = default;
  // Continues from what the ledger has of an earlier run.
  explicit ScaleObserver(const store::RecalledState& known);

  // Who set the replicas of the scale; absent: unknown.
  using AskManager = std::function<std::optional<api::FieldManager>(const api::Scale&)>;

  // Call at each evaluation. `ask` is called only if the replicas changed.
  Observation See(const engine::Snapshot& snapshot, const AskManager& ask);

  // The operator has written the scale, or may have.
  void Wrote(const store::ScaleWrite& write);
  void MayHaveWritten();

  // As last seen or written; absent: unknown.
  const std::optional<std::int32_t>& replicas() const { return replicas_; }
  // How long the target's pods take to start, as far as this process has seen, or the status tells
  // of an earlier one.
  Duration startup() const { return startups_.Typical(); }
  void RememberStartup(const api::AutoscalerStatus& status);

 private:
  std::optional<std::int32_t> replicas_;
  std::optional<store::ScaleWrite> unready_;  // the newest scale event, until its pods are ready
  bool clock_was_set_ = false;                // since then: how long they take is not known
  StartupTimes startups_;
};

}  // namespace ballast::session
