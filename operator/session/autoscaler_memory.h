// The memory of an autoscaler's evaluations on which later ones depend, and its sources: the
// ledger, attempts that an earlier run left unsettled, and, where another replica may have led
// since, the status memory (status_memory.h). Here is decided what a restart, a stall, another
// leader or a clock that was set means: whether evaluations continue, and if not, how that breaks
// off what is remembered (engine/memory/continuity.h).
//
// Thread-safety: belongs to one autoscaler; one thread at a time.
// Errors: none; what cannot be read counts as an interruption, so that nothing scales in for one
// window.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"
#include "operator/engine/memory/continuity.h"
#include "operator/engine/memory/remember.h"
#include "operator/engine/refusal.h"
#include "operator/process/clock.h"
#include "operator/session/attempt.h"
#include "operator/session/requests.h"
#include "operator/session/session_options.h"
#include "operator/session/status_memory.h"
#include "store/records.h"

namespace ballast::session {

// What an evaluation knows of earlier ones.
struct Past {
  engine::Memory memory;
  std::optional<Time> last_evaluation;  // absent: there is none to continue
  std::optional<engine::UnsettledWrite> unsettled_write;
  // Both since the last evaluation that had a scale.
  bool clock_jumped = false;
  bool interrupted = false;
  bool own_zero = false;  // the ledger's last write was to zero, and it was still so
  // Why the evaluation must wait: another leader may have acted upon a newer spec.
  std::optional<engine::Refusal> waits = {};
  // If the autoscaler was read from the API server: its resource version, and the writer of its
  // status memory.
  std::optional<std::string> stored_version;
  std::optional<std::string> stored_writer;
};

class AutoscalerMemory {
 public:
  // For an autoscaler that was never evaluated.
  AutoscalerMemory() = default;
  // `known`: from the ledger at `now`; `left_over`: an earlier run's attempts.
  AutoscalerMemory(const api::Autoscaler& autoscaler,
                   const std::optional<store::RecalledState>& known, const Attempts& left_over,
                   const process::Instant& now, const SessionOptions& options);

  // What the API server has stored of an autoscaler; absent: it was not read.
  using Stored = std::optional<Result<StoredAutoscaler>>;
  // Whether Recall() needs that, because another replica may have evaluated the autoscaler last.
  bool NeedsStored(const api::Autoscaler& autoscaler, const SessionOptions& options) const {
    return behind_ && options.ModeOf(autoscaler).reports;
  }
  // The past for an evaluation that begins at `now`.
  Past Recall(const api::Autoscaler& autoscaler, const Attempts& attempts,
              const process::Instant& now, const SessionOptions& options, const Stored& stored);

  // The evaluation that began at `now` has its snapshot. With `replicas`, those of the scale in it,
  // its conclusion accounts for whatever is unknown of the past.
  void Gathered(const process::Instant& now, std::optional<std::int32_t> replicas);
  void Concluded(engine::Memory memory);
  // Whether all that is remembered is of the target with that uid. Until one was seen, it is of
  // any.
  bool IsOf(const std::string& uid) const {
    return !of_another_ && (memory_.target.empty() || memory_.target == uid);
  }
  // The target has that uid. If what is remembered is of another one, continues from what another
  // leader has remembered of it, if that was read; else what follows does not continue the
  // evaluations until now. Then returns true, and `past` becomes that for this target.
  bool MeetTarget(const std::string& uid, Past& past);
  // What follows does not continue the autoscaler's evaluations until now, nor an attempt among
  // them that is not settled yet.
  void BreakOff(engine::Break how);
  // An attempt ended after later evaluations: adds its recommendations and its scale event to their
  // memory.
  void ConcludedLate(const Attempt& attempt, const engine::Outcome& outcome);
  // There is no evaluation now. If the next one comes within --max-view-age of the last one, and of
  // a policy within its window, it is merely late; else what was until then is unknown.
  void Passed() { passed_ = true; }
  // When the last evaluation had its answers; before there is one, the start.
  process::SteadyTime last() const { return last_.steady; }
  // Whether that is longer ago.
  bool IsLongAgo(process::SteadyTime now, Duration gap) const {
    return (now - last()).count() > gap.nanoseconds;
  }
  // Another controller scaled the target: rates count that.
  void Scaled(Time time, std::int32_t from, std::int32_t to) {
    engine::CountChange(memory_, time, from, to);
  }
  // Another controller decides, and what it recommends is not known.
  void ForgetRecommendations() { Forget(engine::Break::kYielded); }
  // Others have decided meanwhile: the next evaluation reads the status memory, and its status.
  void Invalidate() {
    behind_ = true;
    status_.reset();
    knows_zero_ = false;
  }
  void Published(api::AutoscalerStatus status) {
    status_ = std::move(status);
    knows_zero_ |= has_scale_;
  }

  const engine::Memory& memory() const { return memory_; }
  // False: evaluations were broken off, and others may have scaled the target until now.
  bool continues() const { return continues_; }
  // Whether or not it still counts.
  std::optional<Time> last_evaluation() const { return last_evaluation_; }
  // As last published; absent: the watch's is at least as new.
  const std::optional<api::AutoscalerStatus>& status() const { return status_; }
  // An attempt to scale to zero may have arrived: the status does not say whose a zero is, until an
  // evaluation has seen it.
  void DoubtZero() { doubts_zero_ = true; }
  // Whether the status says whose a zero is: it is of an evaluation with a scale, or a later one.
  bool knows_zero() const { return knows_zero_ && !doubts_zero_; }
  // Whether all sources have been read; before that the status memory must not be overwritten.
  // Nor until an evaluation has accounted for what is unknown: after a restart the memory there is
  // the only sign of it.
  bool complete() const { return !behind_ && !interrupted_; }
  // Whether the memory accounts for all that happened once the evaluation under way has concluded.
  bool completes() const { return !behind_ && (has_scale_ || (!interrupted_ && !clock_jumped_)); }
  // Whether the ledger lacks records of earlier evaluations, for which none before the one under
  // way has accounted.
  bool lacks_records() const { return lacks_records_; }

 private:
  void Forget(engine::Break how);
  // Tells what of memory_ continues until now.
  void Tell(Past& past);
  void CatchUp(const api::Autoscaler& autoscaler, const process::Instant& now,
               const SessionOptions& options, const Stored& read, Past& past);
  void Adopt(const api::Autoscaler& autoscaler, const StatusMemory& remembered,
             const SessionOptions& options);

  engine::Memory memory_;
  std::optional<engine::Memory> of_another_;  // of the status, and of another target than memory_
  std::optional<Time> last_evaluation_;
  // The same, if by this process; before, when the memory was recalled.
  process::Instant last_;
  std::optional<api::AutoscalerStatus> status_;
  bool knows_zero_ = false;
  bool doubts_zero_ = false;
  bool fresh_ = false;          // the ledger's last evaluation is at most two periods old
  bool lacks_records_ = false;  // what it has of the ledger: the status or the ledger said so
  bool behind_ = true;          // the status memory has yet to be read
  bool own_zero_ = false;
  // Since the last conclusion of an evaluation with a scale; without one nothing is decided.
  bool clock_jumped_ = false;
  bool interrupted_ = false;
  bool passed_ = false;     // since the last evaluation
  bool has_scale_ = false;  // the evaluation under way
  // How evaluations were broken off last, and the last one before.
  struct BrokenOff {
    engine::Break how;
    std::optional<Time> last;
  };
  std::optional<BrokenOff> broken_off_;
  bool continues_ = true;  // they have begun again: there is a recommendation
};

}  // namespace ballast::session
