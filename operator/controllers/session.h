// One autoscaler's life: what is known of it between evaluations, and how it is evaluated. An
// evaluation is six phases, each of which makes a value for the next:
//
//   1 recall    what ledger, status and earlier evaluations know  -> Past
//   2 gather    scale, pods, rivals and metrics, with the past    -> Snapshot, const from here on
//   3 decide                                                      -> Decision
//   4 act       the intent goes on record                         -> WriteScale, if it rescales
//   5 conclude  how it ended goes on record                       -> Conclusion
//   6 publish   log, events                                       -> WriteStatus, if it is due
//
// An evaluation is left after 4 and 6 with the request that there is, and re-entered with its
// answer; who carries the request out, and on which thread, is not the session's concern. An
// attempt to write the scale whose outcome cannot be found out at once is settled (attempt.h)
// before phase 1 of a later evaluation; until then the engine holds everything that it decides.
//
// The session knows no network, no thread and no other clock than its ports (ports.h), so that it
// runs in virtual time as well.
//
// Thread-safety: used by one thread at a time, but for attempts().Print. Failure modes: what goes
// wrong ends in a condition, an event and a log line that name the object and the way out. A defect
// is an exception; it ends the evaluation, but leaves the ledger and the memory whole.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "operator/controllers/attempt.h"
#include "operator/controllers/autoscaler_memory.h"
#include "operator/controllers/intent_recovery.h"
#include "operator/controllers/ports.h"
#include "operator/controllers/publisher.h"
#include "operator/controllers/requests.h"
#include "operator/controllers/scale_observer.h"
#include "operator/controllers/session_options.h"
#include "operator/engine/engine.h"
#include "operator/runtime/clock.h"

namespace ballast::controllers {

// When a policy is evaluated next: at its turn within `period` (schedule.h), or before that after
// `sooner`, because what holds its count back lets go then.
struct NextEvaluation {
  Duration period;
  std::optional<Duration> sooner;
};

// How far an evaluation has come: it waits for the answer to a request, or has ended.
using Progress = std::variant<Request, NextEvaluation>;

class Session {
 public:
  using PolicyPointer = std::shared_ptr<const api::Autoscaler>;

  // `ports` and `options` must outlive this.
  Session(const Ports& ports, const SessionOptions& options, const api::Autoscaler& policy);

  const std::string& uid() const { return uid_; }
  const Attempts& attempts() const { return attempts_; }

  // Begin an evaluation; one that has not ended is given up.
  Progress Evaluate(PolicyPointer policy);
  Progress Refuse(PolicyPointer policy, const Refusal& refusal);
  // Goes on with the answer to the request that the evaluation was left with.
  Progress Resume(const Answer& answer);

  // When the policy is due at the start of the operator: at once if it is new or was edited since,
  // or if an earlier run left an attempt that is not settled; a period after its last evaluation,
  // so that a restart brings none forward; and one that is overdue, or whose last evaluation
  // another replica has on record, at its turn within a period (the default one at most), so that
  // the fleet does not ask all at once.
  Duration FirstDelay(const api::Autoscaler& policy) const;

 private:
  // An evaluation under way.
  struct Evaluation {
    PolicyPointer policy;
    runtime::Instant began;
    // Null when it was refused: what follows is empty, too.
    std::shared_ptr<const engine::Snapshot> snapshot;
    Gathered gathered;  // but for its snapshot
    Time seen;          // all answers were there
    std::optional<std::string> takes_over_from;
    engine::Decision decision;
  };

  // Settles the attempts of which that can be done now.
  void Settle(const api::Autoscaler& policy);
  void Gather(const Past& past);
  void CompleteZero(const Past& past, engine::Snapshot& snapshot);
  void Observe();
  Progress Act();
  // Sends for what became of the newest attempt, whose answer was lost.
  std::optional<engine::Outcome> FindOutcome(const std::string& lost);
  Progress Conclude(const std::optional<engine::Outcome>& outcome);
  engine::Conclusion ConcludeAttempt(const Attempt& attempt, const engine::Outcome& outcome);
  Progress Publish(engine::Conclusion conclusion);
  Progress Report(api::AutoscalerStatus status);
  NextEvaluation End();

  const Ports& ports_;
  const SessionOptions& options_;
  const std::string uid_;
  IntentRecovery recovery_;
  Attempts attempts_;
  ScaleObserver observer_;
  AutoscalerMemory memory_;
  Publisher publisher_;
  std::optional<Time> release_;  // when what holds the count back lets go
  Evaluation current_;           // the one under way
};

}  // namespace ballast::controllers
