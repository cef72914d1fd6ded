// One autoscaler: its state between evaluations, and how it is evaluated. An evaluation has six
// phases, each of which makes a value for the next:
//
//   1 recall    what ledger, status and earlier evaluations know  -> Past
//   2 gather    scale, pods, rivals and metrics, with the past    -> Snapshot, const from here on
//   3 decide                                                      -> Decision
//   4 act       records the intent                                -> WriteScale, if it rescales
//   5 conclude  records the outcome                               -> Conclusion
//   6 publish   log, events                                       -> WriteStatus, if it is due
//
// After 4 and 6 the evaluation returns its request, if there is one, and continues with the answer;
// the caller decides how and on which thread to carry it out. An attempt to write the scale whose
// outcome cannot be found out at once is settled (attempt.h) before phase 1 of a later evaluation;
// until then the engine holds all its decisions.
//
// An HPA that another controller serves is observed (hpa/hpa_observer.h): what that controller did
// is recorded, and nothing is requested. In mode shadow it is evaluated as well; nothing is written
// to the cluster, and the decision is compared with the other one's (hpa/agreement.h).
//
// A session uses no network, no threads and no clock but its ports (ports.h), so it can run in
// virtual time.
//
// Thread-safety: one thread at a time; attempts().Print: any thread.
// Errors: none returned; a problem becomes a condition, an event and a log line with the object's
// name and what to do. A defect is an exception, which ends the evaluation but leaves ledger and
// memory consistent.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "operator/controllers/attempt.h"
#include "operator/controllers/autoscaler_memory.h"
#include "operator/controllers/hpa/agreement.h"
#include "operator/controllers/hpa/hpa_observer.h"
#include "operator/controllers/intent_recovery.h"
#include "operator/controllers/ports.h"
#include "operator/controllers/publisher.h"
#include "operator/controllers/requests.h"
#include "operator/controllers/scale_observer.h"
#include "operator/controllers/session_options.h"
#include "operator/engine/engine.h"
#include "operator/runtime/clock.h"

namespace ballast::controllers {

// When a policy is evaluated next: at its point of `period` (schedule.h), or after `sooner` if that
// is earlier, because what holds its count ends then or an attempt has to be settled.
struct NextEvaluation {
  Duration period;
  std::optional<Duration> sooner;
};

// The state of an evaluation: it waits for the answer to a request, or has ended.
using Progress = std::variant<Request, NextEvaluation>;

class Session {
 public:
  using PolicyPointer = std::shared_ptr<const api::Autoscaler>;

  // `ports` and `options` must outlive the Session.
  Session(const Ports& ports, const SessionOptions& options, const api::Autoscaler& autoscaler);

  const std::string& uid() const { return uid_; }
  const Attempts& attempts() const { return attempts_; }

  // Begin an evaluation; one that has not ended is abandoned.
  Progress Evaluate(PolicyPointer policy);
  Progress Refuse(PolicyPointer policy, const Refusal& refusal);
  // Records what another controller does with the HPA, as far as `find` and its status tell. If
  // `sooner` is set, it is to be observed again before it is evaluated.
  NextEvaluation Observe(const api::Autoscaler& hpa, const HpaObserver::FindMessage& find);
  // Continues with the answer to the evaluation's request.
  Progress Resume(const Answer& answer);

  // When the autoscaler is due after the operator's start:
  // - at once if it is new, if it is a policy that was edited since, or if an earlier run left an
  //   unsettled attempt;
  // - a period after its last evaluation, so that a restart brings none forward;
  // - if that is overdue, or if only another replica's store has it, at its point of the period (of
  //   the default period if that is shorter), so that not all are evaluated at once.
  Duration FirstDelay(const api::Autoscaler& autoscaler) const;

 private:
  // An evaluation under way.
  struct Evaluation {
    PolicyPointer policy;
    runtime::Instant began;
    // Null: the policy was refused, and all below is empty.
    std::shared_ptr<const engine::Snapshot> snapshot;
    Gathered gathered;  // without its snapshot
    Time seen;          // when all answers were there
    std::optional<std::string> takes_over_from;
    engine::Decision decision;
  };

  // Settles the attempts whose outcome can be found out now.
  void Settle(const api::Autoscaler& policy);
  void Gather(const Past& past);
  void CompleteZero(const Past& past, engine::Snapshot& snapshot);
  void ObserveScale();
  // Whether the decision under way is carried out.
  bool Acts() const;
  Progress Act();
  // The evaluation, for the ledger.
  store::Evaluation Summarize() const;
  // Reads back the outcome of the newest attempt, whose answer was lost.
  std::optional<engine::Outcome> FindOutcome(const std::string& lost);
  // `outcome`: of the attempt; absent if there was none, or if it is unknown.
  Progress Conclude(const std::optional<engine::Outcome>& outcome);
  engine::Conclusion ConcludeAttempt(const Attempt& attempt, const engine::Outcome& outcome);
  Progress Publish(engine::Conclusion conclusion);
  // Compares the decision of a shadow with the count that the HPA's controller asks for.
  void Judge();
  Progress Report(api::AutoscalerStatus status);
  NextEvaluation End();

  const Ports& ports_;
  const SessionOptions& options_;
  const std::string uid_;
  IntentRecovery recovery_;
  Attempts attempts_;
  ScaleObserver observer_;
  HpaObserver hpa_observer_;
  Agreement agreement_;
  bool differs_ = false;  // the agreement's last verdict
  AutoscalerMemory memory_;
  Publisher publisher_;
  std::optional<Time> release_;  // when what holds the count ends
  Evaluation current_;           // the one under way
};

}  // namespace ballast::controllers
