// What of an autoscaler's evaluations later ones depend on, and where it comes from: the ledger,
// attempts that an earlier run left, and, where another replica may have led since, the memory in
// the policy's status (status_memory.h).
//
// Thread-safety: belongs to one policy and is used by one thread at a time. Failure modes: what
// cannot be read counts as an interruption, so that nothing is scaled in for one window.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"
#include "operator/controllers/attempt.h"
#include "operator/controllers/ports.h"
#include "operator/controllers/session_options.h"
#include "operator/runtime/clock.h"
#include "store/records.h"

namespace ballast::controllers {

// What an evaluation knows of those before it.
struct Past {
  engine::Memory memory;
  std::optional<Time> last_evaluation;
  std::optional<api::AutoscalerStatus> status;  // absent: the watch's is at least as new
  std::optional<engine::UnsettledWrite> unsettled_write;
  bool clock_jumped = false;
  bool interrupted = false;
  bool own_zero = false;  // by the ledger the operator's last write was to zero, and stood
  // Of the policy as the API server has it, if it was read: whose memory its status has.
  std::optional<std::string> stored_version;
  std::optional<std::string> stored_writer;
};

class AutoscalerMemory {
 public:
  // Of an autoscaler that was never evaluated.
  AutoscalerMemory() = default;
  // `known`: by the ledger; `left_over`: by an earlier run.
  AutoscalerMemory(const api::Autoscaler& policy, const std::optional<store::Recollection>& known,
                   const Attempts& left_over, Time now, const SessionOptions& options);

  // Of an evaluation that begins at `now`. Reads the policy where the ledger may not know what was
  // last.
  Past Recall(const api::Autoscaler& policy, const Attempts& attempts, const runtime::Instant& now,
              const SessionOptions& options, PolicyPort& policies);

  // An evaluation that began at `now` has gathered its snapshot.
  void Gathered(const runtime::Instant& now, const engine::Snapshot& snapshot);
  void Concluded(engine::Memory memory) { memory_ = std::move(memory); }
  // An attempt ended after others came after it: adds what it leaves to their memory.
  void ConcludedLate(const Attempt& attempt, const engine::Outcome& outcome);
  void Published(api::AutoscalerStatus status) { status_ = std::move(status); }

  const engine::Memory& memory() const { return memory_; }
  std::optional<Time> last_evaluation() const { return last_evaluation_; }
  const std::optional<api::AutoscalerStatus>& status() const { return status_; }  // as published
  // Whether all sources were read: before, the status memory must not be overwritten.
  bool complete() const { return !behind_; }

 private:
  void CatchUp(const api::Autoscaler& policy, const SessionOptions& options, PolicyPort& policies,
               Past& past);

  engine::Memory memory_;
  std::optional<Time> last_evaluation_;
  std::optional<runtime::Instant> last_;  // the same, of this process
  std::optional<api::AutoscalerStatus> status_;
  bool fresh_ = false;  // the ledger knows the last two periods
  bool behind_ = true;  // the status memory is still to be read
  bool own_zero_ = false;
  bool gap_ = false;  // something is not known, and no evaluation with a scale came since
};

}  // namespace ballast::controllers
