// Observes an autoscaler's replicas between its decisions: foreign changes, and the pods of a scale
// event becoming ready.
//
// Thread-safety: belongs to one autoscaler; one thread at a time.
#pragma once

#include <cstdint>
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

  // Whether the replicas are others than were last seen or written.
  bool IsChanged(const api::Scale& scale) const {
    return replicas_ && *replicas_ != scale.spec_replicas;
  }
  // Call at each evaluation. `manager`: who set the replicas, if they have changed; absent: it is
  // not known.
  Observation See(const engine::Snapshot& snapshot,
                  const std::optional<api::FieldManager>& manager);

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
