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
// It begins with the answer to FetchMetrics, so that it waits for nothing and sees everything at
// one moment. After 4 and 6 it returns its request, if there is one, and continues with the answer;
// the caller decides how and on which thread to carry it out. An attempt to write the scale whose
// outcome cannot be found out at once is settled (attempt_settler.h) before phase 1 of a later
// evaluation; until then the engine holds all its decisions.
//
// An HPA is evaluated as its mode and other controllers allow (hpa/hpa_role.h).
//
// A session uses no network, no threads and no clock but its ports (ports.h), so it can run in
// virtual time.
//
// Thread-safety: one thread at a time.
// Errors: none returned; a problem becomes a condition, an event and a log line with the object's
// name and what to do. A defect is an exception, which ends the evaluation but leaves ledger and
// memory consistent.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "operator/controllers/attempt.h"
#include "operator/controllers/attempt_settler.h"
#include "operator/controllers/autoscaler_memory.h"
#include "operator/controllers/edit_observer.h"
#include "operator/controllers/hpa/hpa_observer.h"
#include "operator/controllers/hpa/hpa_role.h"
#include "operator/controllers/next_evaluation.h"
#include "operator/controllers/overrides/removed_overrides.h"
#include "operator/controllers/ports.h"
#include "operator/controllers/publisher.h"
#include "operator/controllers/requests.h"
#include "operator/controllers/scale_observer.h"
#include "operator/controllers/session_options.h"
#include "operator/controllers/tug_of_war.h"
#include "operator/engine/engine.h"
#include "operator/process/clock.h"

namespace ballast::controllers {

// The state of an evaluation: it waits for the answer to a request, or has ended.
using Progress = std::variant<Request, NextEvaluation>;

class Session {
 public:
  using AutoscalerPointer = std::shared_ptr<const api::Autoscaler>;

  // `ports` and `options` must outlive the Session.
  Session(const Ports& ports, const SessionOptions& options, const api::Autoscaler& autoscaler);

  const std::string& uid() const { return uid_; }

  // Begin an evaluation with what was read for it; one that has not ended is abandoned.
  Progress Evaluate(AutoscalerPointer autoscaler, const MetricsAnswer& answer);
  Progress Refuse(AutoscalerPointer autoscaler, const Refusal& refusal,
                  const MetricsAnswer& answer);
  // The same for an HPA, as its mode says. `blocker`: why it must not be managed. Returns
  // FetchMetrics if it is evaluated after all, though asks_for_metrics() said that it would not be.
  Progress Serve(AutoscalerPointer hpa, const std::optional<ManageBlocker>& blocker,
                 const HpaObserver::FindEvent& find, const OtherControllers& others,
                 const MetricsAnswer& answer);
  // No evaluation now: what the autoscaler is at present is not known.
  NextEvaluation Pass(const api::Autoscaler& autoscaler);
  // Records what was edited since the last look. The functions above do it as well; call it for an
  // autoscaler that is no longer served because of an edit.
  void NoteEdits(const api::Autoscaler& autoscaler);
  // Whether this HPA, whose mode evaluates, will be evaluated at its next look, as far as its last
  // one told.
  bool asks_for_metrics(const api::Autoscaler& hpa) const {
    return options_.ModeOf(hpa).observes || role_->manages();
  }
  // Whether Ballast has been the controller of this HPA, so that something of it is remembered on
  // the API server.
  bool has_managed() const { return role_ && role_->has_managed(); }
  // Continues with the answer to the write that the evaluation has asked for.
  Progress Resume(const Answer& answer);

  // When the autoscaler is due after the operator's start (next_evaluation.h).
  Duration FirstDelay(const api::Autoscaler& autoscaler, const NextPoint& next_point) const {
    return controllers::FirstDelay(autoscaler, {memory_.last_evaluation(), !attempts_.empty()},
                                   options_, next_point, process::ReadBoth(ports_.clock));
  }

 private:
  // An evaluation under way.
  struct InFlight {
    AutoscalerPointer autoscaler;
    process::Instant began;
    // Null: the policy was refused, or only an HPA's claim is written, and all below is empty.
    std::shared_ptr<const engine::Snapshot> snapshot;
    Gathered gathered;  // without its snapshot
    Time seen;          // when all answers were there
    engine::Decision decision;
    const char* action = nullptr;  // what the decision does, for the metrics; null: there is none
    Time decided;                  // only if it rescales
    bool marks = false;            // only the marks of an HPA in mode manage are written
  };

  Publisher& EnsurePublisher(const api::Autoscaler& autoscaler);
  // An evaluation begins now.
  void Start(AutoscalerPointer autoscaler);
  // Ballast has become the HPA's controller: others may have changed whatever was known of it.
  void BeginToManage(const api::Autoscaler& hpa);
  NextEvaluation EndOfMarks(const StatusAnswer& answer);
  // Settles the attempts whose outcome can be found out now.
  void Settle(const api::Autoscaler& autoscaler);
  void Gather(Past past, const MetricsAnswer& answer);
  // Another target than before: nothing that is known of that one counts for this one.
  void MeetOtherTarget();
  void SeeTarget(const api::Scale& scale, Past& past);
  void ObserveScale(const engine::Snapshot& snapshot);
  // Whether the decision under way is carried out.
  bool Acts() const;
  Progress Act();
  // The evaluation, for the ledger.
  store::EvaluationRecord Summarize() const;
  // `outcome`: of the attempt; absent if there was none, or if it is unknown.
  Progress Conclude(const std::optional<engine::Outcome>& outcome);
  engine::Conclusion ConcludeAttempt(const Attempt& attempt, const engine::Outcome& outcome);
  Progress Publish(engine::Conclusion conclusion);
  Progress Report(api::AutoscalerStatus status);
  NextEvaluation End();

  const Ports& ports_;
  const SessionOptions& options_;
  const std::string uid_;
  Attempts attempts_;
  AttemptSettler settler_;
  std::string target_uid_;  // of the last evaluation that had a scale; empty: none yet
  ScaleObserver observer_;
  TugOfWar tug_of_war_;
  std::optional<std::int64_t> generation_;  // of the spec, at the last decision of an earlier run
  EditObserver edits_;
  AutoscalerMemory memory_;
  std::unique_ptr<HpaRole> role_;         // null: a policy's session
  std::unique_ptr<Publisher> publisher_;  // null: of an HPA of which nothing was published yet
  RemovedOverrides removed_overrides_;
  ReleaseMoment release_;
  std::unique_ptr<InFlight> current_;  // the one under way; on the heap, because it is large
};

}  // namespace ballast::controllers
