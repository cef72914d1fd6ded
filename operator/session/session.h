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
// Resume() is all of it. It begins with the answer to FetchMetrics, so that it sees everything at
// one moment, and begins again with another one if that has not all that it needs: what another
// leader remembers, the scale that an attempt may have written, or, as it turns out in 2, the
// target as it is read anew, or who set its replicas. After 4 and 6 it returns its
// request, if there is one, and continues with the answer; the caller decides how and on which
// thread to carry it out. An attempt to write the scale whose outcome cannot be found
// out at once is settled (attempt_settler.h) before phase 1 of a later evaluation; until then the
// engine holds all its decisions.
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
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "operator/engine/engine.h"
#include "operator/engine/refusal.h"
#include "operator/process/clock.h"
#include "operator/schedules/resolve_schedules.h"
#include "operator/session/attempt.h"
#include "operator/session/attempt_settler.h"
#include "operator/session/autoscaler_memory.h"
#include "operator/session/edit_observer.h"
#include "operator/session/next_evaluation.h"
#include "operator/session/ports.h"
#include "operator/session/publisher.h"
#include "operator/session/removed_overrides.h"
#include "operator/session/requests.h"
#include "operator/session/scale_observer.h"
#include "operator/session/session_options.h"
#include "operator/session/tug_of_war.h"

namespace ballast::session {

// The state of an evaluation: it waits for the answer to a request, or has ended.
using Progress = std::variant<Request, NextEvaluation>;

class Session {
 public:
  using AutoscalerPointer = std::shared_ptr<const api::Autoscaler>;

  // Gets each decision of a mode that reports nothing.
  using OnDecision =
      std::function<void(const engine::Snapshot&, const engine::Decision&, Time now)>;

  // `ports` and `options` must outlive the Session.
  Session(const Ports& ports, const SessionOptions& options, const api::Autoscaler& autoscaler,
          OnDecision on_decision = {});

  const std::string& uid() const { return uid_; }

  // Adds to the request what Evaluate() cannot do without, or else what LookAt() needs.
  FetchMetrics Completed(FetchMetrics request, bool evaluates) const {
    request.stored = settler_.NeedsStored(*request.autoscaler) ||
                     (evaluates && memory_.NeedsStored(*request.autoscaler, options_));
    request.live = settler_.NeedsLive();
    return request;
  }
  // Begin an evaluation with what was read for it; one that has not ended is abandoned.
  Progress Evaluate(AutoscalerPointer autoscaler, const MetricsAnswer& answer);
  Progress Refuse(AutoscalerPointer autoscaler, const engine::Refusal& refusal,
                  const MetricsAnswer& answer);
  // No evaluation now: what the autoscaler is at present is not known, which goes on record with
  // the cause and the error of `why`.
  NextEvaluation Pass(const api::Autoscaler& autoscaler, engine::Refusal why);
  // Records what was edited since the last look. Evaluate() and Refuse() do it as well; call it for
  // an autoscaler that is no longer served because of an edit.
  void NoteEdits(const api::Autoscaler& autoscaler);
  // The same, and settles the attempts whose outcome can be found out now with what was read.
  void LookAt(const api::Autoscaler& autoscaler, const MetricsAnswer& read) {
    NoteEdits(autoscaler);
    Settle(autoscaler, read);
  }
  // Others may have changed whatever was known of the autoscaler.
  void StartAnew(const api::Autoscaler& autoscaler) {
    observer_ = ScaleObserver();
    memory_.Invalidate();
    PublisherOf(autoscaler).StartAnew(autoscaler);
  }
  // The evaluation, from the phase on that has asked for that answer.
  Progress Resume(const Answer& answer);

  AutoscalerMemory& memory() { return memory_; }
  const ScaleObserver& scale() const { return observer_; }
  const SessionOptions& options() const { return options_; }
  // Whether the outcome of an attempt to write the scale is not known.
  bool unsettled() const { return !attempts_.empty(); }
  // The autoscaler's resource version, as last written or read; empty: neither.
  std::string written_version() const { return publisher_ ? publisher_->version() : ""; }
  // That of the autoscaler; begins with the status that the API server has.
  Publisher& PublisherOf(const api::Autoscaler& autoscaler);

  // When the autoscaler is due after the operator's start (next_evaluation.h).
  Duration FirstDelay(const api::Autoscaler& autoscaler, const NextPoint& next_point) const {
    return session::FirstDelay(autoscaler, {memory_.last_evaluation(), !attempts_.empty()},
                               options_, next_point, process::ReadBoth(ports_.clock));
  }

 private:
  // An evaluation under way.
  struct InFlight {
    // By its own clock, which nobody sets meanwhile.
    Time Now(const process::Clock& clock) const {
      return began.wall + Duration{(clock.Steady() - began.steady).count()};
    }

    AutoscalerPointer autoscaler;
    process::Instant began;
    TargetPointer target;  // null: the policy was refused
    // Null: as target, or more is to be read; all below is empty.
    std::shared_ptr<const engine::Snapshot> snapshot;
    Gathered gathered;
    Time seen;  // when all answers were there
    engine::Decision decision;
    const char* action = nullptr;  // what the decision does, for the metrics; null: there is none
    Time decided;                  // only if it rescales
  };

  // An evaluation begins now.
  void Start(AutoscalerPointer autoscaler);
  // It ends without a decision.
  AutoscalerPointer Abandon() { return std::exchange(current_, nullptr)->autoscaler; }
  // Settles the attempts whose outcome can be found out now.
  void Settle(const api::Autoscaler& autoscaler, const MetricsAnswer& read);
  // The phases, by the numbers above.
  Past Recall(const MetricsAnswer& answer);
  // Null: more is to be read first, for which it adds to `again`.
  std::shared_ptr<const engine::Snapshot> Gather(Past past, const MetricsAnswer& answer,
                                                 FetchMetrics& again);
  engine::Decision Decide();
  std::optional<WriteScale> Act();
  // Absent: the answer does not tell, and the scale does not show it yet.
  std::optional<engine::Outcome> OutcomeOf(const ScaleAnswer& answer);
  // `outcome`: of the attempt; absent if there was none, or if it is unknown.
  engine::Conclusion Conclude(const std::optional<engine::Outcome>& outcome);
  Progress Publish(engine::Conclusion conclusion);

  // What was seen of the target counts for no other one.
  void ForgetTarget() {
    observer_ = ScaleObserver();
    tug_of_war_ = TugOfWar();
  }
  // Recalls what counts for the evaluation's target. False: another one is remembered, and this one
  // is not `live`: read from the API server since that was recalled.
  bool SeeTarget(bool live, Past& past);
  // Whether it matters who set the replicas of the scale. `told`: the status that is known.
  bool AsksWhoSet(const Result<api::Scale>& scale, const api::AutoscalerStatus& told) const;
  void ObserveScale(const engine::Snapshot& snapshot, const MetricsAnswer& answer);
  // Whether the decision under way is carried out.
  bool Acts() const {
    return current_->decision.rescale && options_.ModeOf(*current_->autoscaler).writes_scale;
  }
  // The evaluation, for the ledger.
  store::EvaluationRecord Summarize() const;
  engine::Conclusion ConcludeAttempt(const Attempt& attempt, const engine::Outcome& outcome);
  Progress Report(api::AutoscalerStatus status);
  NextEvaluation EndUnsent(const engine::Outcome& outcome);
  NextEvaluation EndPublished(const StatusAnswer& answer);
  NextEvaluation End();

  const Ports& ports_;
  const SessionOptions& options_;
  const std::string uid_;
  const OnDecision on_decision_;
  Attempts attempts_;
  AttemptSettler settler_;
  ScaleObserver observer_;
  TugOfWar tug_of_war_;
  std::optional<std::int64_t> generation_;  // of the spec, at the last decision of an earlier run
  EditObserver edits_;
  AutoscalerMemory memory_;
  std::unique_ptr<Publisher> publisher_;  // null: of an HPA of which nothing was published yet
  RemovedOverrides removed_overrides_;
  schedules::ScheduleResolver schedules_;
  ReleaseMoment release_;
  std::unique_ptr<InFlight> current_;  // the one under way; on the heap, because it is large
};

}  // namespace ballast::session
