#include "operator/session/session.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "api/autoscaling/pause_annotation.h"
#include "api/base/invariant.h"
#include "operator/engine/effective.h"
#include "operator/engine/memory/memory_mirror.h"
#include "operator/engine/memory/remember.h"
#include "operator/process/log.h"
#include "operator/schedules/resolve_schedules.h"
#include "operator/session/evaluation_record.h"
#include "operator/session/intent_recovery.h"
#include "operator/session/ledger_trouble.h"
#include "operator/session/own_zero.h"
#include "operator/session/read_back.h"
#include "operator/session/take_over.h"
#include "operator/session/who_set.h"
#include "store/reasons.h"

namespace ballast::session {
namespace {

// A status leaves the API server to scales for no longer than people wait for it.
constexpr Duration kLongestYield = Duration::Seconds(10);

using Kind = engine::Outcome::Kind;

bool IsOfTarget(const store::Edit& edit) { return edit.field.starts_with("spec.scaleTargetRef"); }

}  // namespace

Session::Session(const Ports& ports, const SessionOptions& options,
                 const api::Autoscaler& autoscaler, OnDecision on_decision)
    : ports_(ports),
      options_(options),
      uid_(autoscaler.metadata.uid),
      on_decision_(std::move(on_decision)),
      // Before Recall(): what is settled here counts in what is recalled.
      attempts_(IntentRecovery(ports.ledger, ports.clock).LeftOver(uid_)),
      settler_(ports, options, attempts_) {
  if (autoscaler.is_policy() || !attempts_.empty()) {
    PublisherOf(autoscaler);
  }
  const process::Instant now = process::ReadBoth(ports.clock);
  const auto known = ports.ledger.Recall(uid_, now.wall);
  if (known) {
    observer_ = ScaleObserver(*known);
    generation_ = known->generation;
  }
  observer_.RememberStartup(autoscaler.status);
  memory_ = AutoscalerMemory(autoscaler, known, attempts_, now, options);
}

Publisher& Session::PublisherOf(const api::Autoscaler& autoscaler) {
  if (!publisher_) {
    publisher_ = std::make_unique<Publisher>(
        ports_, autoscaler.spec,
        autoscaler.is_policy() ? autoscaler.status : api::AutoscalerStatus());
  }
  return *publisher_;
}

void Session::Start(AutoscalerPointer autoscaler) {
  PublisherOf(*autoscaler);
  current_ = std::make_unique<InFlight>();
  current_->autoscaler = std::move(autoscaler);
  current_->began = process::ReadBoth(ports_.clock);
}

Progress Session::Evaluate(AutoscalerPointer autoscaler, const MetricsAnswer& answer) {
  FetchMetrics needed = answer.request;  // what was answered to it serves
  needed.autoscaler = autoscaler;
  needed = Completed(std::move(needed), true);
  if ((needed.stored && !answer.stored) || (needed.live != nullptr && !answer.live)) {
    return needed;
  }
  LookAt(*autoscaler, answer);
  Start(std::move(autoscaler));
  return Resume(answer);
}

Progress Session::Resume(const Answer& answer) {
  INVARIANT(current_ != nullptr);          // it waits for the answer
  std::optional<engine::Outcome> outcome;  // absent: nothing was to be written, or it is unknown
  if (const auto* fetched = std::get_if<MetricsAnswer>(&answer)) {
    Past past = Recall(*fetched);  // 1
    if (past.waits) {
      return Pass(*Abandon(), *past.waits);
    }
    FetchMetrics again = fetched->request;  // what was answered to it serves
    current_->snapshot = Gather(std::move(past), *fetched, again);  // 2
    if (options_.stopping()) {
      return NextEvaluation{options_.PeriodOf(*Abandon()), std::nullopt};
    }
    if (current_->snapshot == nullptr) {
      again.autoscaler = Abandon();
      return Completed(std::move(again), true);
    }
    settler_.StatusIsReplaced();
    current_->decision = Decide();  // 3
    if (auto write = Act()) {       // 4
      return *std::move(write);
    }
  } else if (const auto* scale = std::get_if<ScaleAnswer>(&answer)) {
    outcome = OutcomeOf(*scale);
    if (scale->unsent) {
      return EndUnsent(*outcome);
    }
  } else {
    return EndPublished(std::get<StatusAnswer>(answer));
  }
  engine::Conclusion conclusion = Conclude(outcome);  // 5
  return Publish(std::move(conclusion));              // 6
}

// An edit that arrives is evaluated at once.
NextEvaluation Session::Pass(const api::Autoscaler& autoscaler, engine::Refusal why) {
  why.reason = store::kOutOfDate;
  const Duration period = options_.PeriodOf(autoscaler);
  const process::SteadyTime now = ports_.clock.Steady();
  memory_.Passed();
  if (memory_.IsLongAgo(now, {period.nanoseconds / 2})) {  // it was due, or a little early
    NoteEdits(autoscaler);
    ports_.ledger.Append(
        store::Refused{Describe(autoscaler, why, ports_.clock.Now(), period,
                                observer_.replicas().value_or(autoscaler.status.current_replicas)),
                       memory_.memory()});
  }
  return {std::min(period, kProblemPeriod), std::nullopt};
}

void Session::NoteEdits(const api::Autoscaler& autoscaler) {
  EditObserver::News news = edits_.See(autoscaler, generation_, ports_.clock.Now(),
                                       [this] { return ports_.ledger.SpecOf(uid_); });
  if (std::ranges::any_of(news.edits, IsOfTarget)) {
    ForgetTarget();
    if (autoscaler.is_policy()) {
      memory_.BreakOff(engine::Break::kYielded);  // whether it is another one says its uid
    }
  }
  for (store::Edit& edit : news.edits) {
    ports_.ledger.Append(store::EditSeen{SubjectOf(autoscaler), std::move(edit)});
  }
  if (news.spec) {
    ports_.ledger.Append(store::SpecSeen{SubjectOf(autoscaler), *std::move(news.spec)});
  }
}

bool Session::SeeTarget(bool live, Past& past) {
  const Result<api::Scale>& scale = current_->target->scale;
  if (!scale.ok() || memory_.IsOf(scale->metadata.uid)) {
    return true;
  }
  if (!current_->autoscaler->is_policy()) {
    ForgetTarget();
    return true;
  }
  if (!live) {
    return false;  // what another leader has remembered may be of a newer target than the watch has
  }
  if (memory_.MeetTarget(scale->metadata.uid, past)) {
    ForgetTarget();
  }
  return true;
}

void Session::Settle(const api::Autoscaler& autoscaler, const MetricsAnswer& read) {
  settler_.Settle(autoscaler, read, [&](const Attempt& attempt, const engine::Outcome& outcome) {
    engine::Conclusion conclusion = ConcludeAttempt(attempt, outcome);
    if (memory_.status()) {  // else the API server's is at least as new
      memory_.Published(std::move(conclusion.status));
    }
    publisher_->Emit(autoscaler, conclusion.events);
  });
}

Past Session::Recall(const MetricsAnswer& answer) {
  const api::Autoscaler& autoscaler = *current_->autoscaler;
  if (!options_.ModeOf(autoscaler).evaluates) {
    memory_.BreakOff(engine::Break::kYielded);
  }
  Past past = memory_.Recall(autoscaler, attempts_, current_->began, options_, answer.stored);
  publisher_->Read(past.stored_version, past.stored_writer);
  if (past.waits) {
    const std::string name = autoscaler.Print();
    log::Info(log::About{name},
              "the autoscaler is not evaluated yet: what is known of it may be out of date",
              {{"autoscaler", name}, {"reason", past.waits->message()}});
  }
  return past;
}

std::shared_ptr<const engine::Snapshot> Session::Gather(Past past, const MetricsAnswer& answer,
                                                        FetchMetrics& again) {
  current_->target = ports_.source.TargetOf(answer);
  if (!SeeTarget(answer.request.anew, past)) {
    again.anew = true;
    return nullptr;
  }
  const auto made = std::make_shared<engine::Snapshot>();
  engine::Snapshot& snapshot = *made;
  snapshot.now = current_->began.wall;
  const bool reports = options_.ModeOf(*current_->autoscaler).reports;
  // The watch may not have our last write. A status that is not reported is another controller's.
  snapshot.autoscaler = current_->autoscaler->With(
      memory_.status() && reports ? *memory_.status() : current_->autoscaler->status);
  if (!answer.managed && AsksWhoSet(current_->target->scale, snapshot.autoscaler.status)) {
    again.managed = true;
    return nullptr;
  }
  snapshot.memory = std::move(past.memory);
  snapshot.last_evaluation = past.last_evaluation;
  current_->gathered = ports_.source.Gather(answer, *current_->target, snapshot);
  if (answer.managed && !memory_.knows_zero() && reports) {
    CompleteZero(past.own_zero, *answer.managed, snapshot);
  }
  removed_overrides_.Complete(snapshot);
  const auto* scale = std::get_if<api::Scale>(&snapshot.scale);
  const auto replicas = scale ? std::optional(scale->spec_replicas) : std::nullopt;
  snapshot.clock_jumped = replicas && past.clock_jumped;
  snapshot.interrupted = replicas && past.interrupted;
  engine::Begin(snapshot, *snapshot.memory);
  if (options_.ModeOf(*current_->autoscaler).observes) {
    // Neither a pause nor an override concerns the controller that scales this HPA.
    snapshot.autoscaler.metadata.annotations.erase(api::kPausedUntil);
    snapshot.overrides.clear();
  }
  snapshot.unsettled_write = past.unsettled_write;
  snapshot.schedules = schedules_.Resolve(snapshot, observer_.startup());
  snapshot.takes_over_from = TakesOverNow(current_->gathered.hpas, snapshot);
  current_->seen = current_->Now(ports_.clock);
  ObserveScale(snapshot, answer);
  if (snapshot.autoscaler.is_policy()) {
    snapshot.opponent = tug_of_war_.OpponentAt(current_->began.steady);
    snapshot.ledger_trouble = TroubleOf(ports_.ledger.health(), memory_.lacks_records(),
                                        snapshot.autoscaler.status.conditions);
    if (engine::EndsSilence(snapshot)) {
      if (!answer.request.anew) {
        again.anew = true;
        return nullptr;
      }
      snapshot.silence_ended = true;
    }
  }
  memory_.Gathered(current_->began, replicas);
  return made;
}

// Without its trace, which takes longer than the decision and is made if it is recorded.
engine::Decision Session::Decide() {
  engine::Decision decision = engine::Decide(*current_->snapshot, engine::Tracing::kOff);
  options_.metrics.CountMetrics(*current_->snapshot, decision, current_->gathered.asked);
  return decision;
}

bool Session::AsksWhoSet(const Result<api::Scale>& scale, const api::AutoscalerStatus& told) const {
  const api::ServingMode& mode = options_.ModeOf(*current_->autoscaler);
  return scale.ok() && ((mode.reports && !memory_.knows_zero() && IsUntoldZero(*scale, told)) ||
                        (!mode.observes && observer_.IsChanged(*scale)));
}

void Session::ObserveScale(const engine::Snapshot& snapshot, const MetricsAnswer& answer) {
  const auto* scale = std::get_if<api::Scale>(&snapshot.scale);
  if (scale == nullptr || options_.ModeOf(*current_->autoscaler).observes) {
    return;  // ObserveMode has recorded it
  }
  const Observation seen = observer_.See(snapshot, ManagerOf(answer.managed, *scale));
  if (seen.change) {
    ports_.ledger.Append(store::ForeignChangeSeen{SubjectOf(*current_->autoscaler), *seen.change});
    options_.metrics.CountForeignChange(tug_of_war_.Changed(*seen.change, current_->began.steady));
  }
  if (seen.ready) {
    ports_.ledger.Append(store::PodsReady{uid_, *seen.ready});
  }
}

std::optional<WriteScale> Session::Act() {
  const engine::Decision& decision = current_->decision;
  current_->action = ActionOf(decision.current_replicas,
                              Acts() ? decision.target_replicas : decision.current_replicas);
  if (!Acts()) {
    return std::nullopt;
  }
  INVARIANT(attempts_.empty());  // else the engine holds the decision
  current_->decision = engine::Decide(*current_->snapshot);
  store::EvaluationRecord evaluation = Summarize();
  evaluation.decided = ports_.clock.Now();  // a later process goes by this (intent_recovery.cc)
  current_->decided = current_->Now(ports_.clock);
  const store::Ledger::Appended intent = ports_.ledger.AppendDurably(store::Intended{evaluation});
  const api::ScaleChange change{std::get<api::Scale>(current_->snapshot->scale).metadata.uid,
                                current_->decision.current_replicas,
                                current_->decision.target_replicas};
  // From here on it may have been written, whatever happens below, until its outcome is known.
  const process::SteadyTime now = ports_.clock.Steady();
  attempts_.Begin({.id = intent.id,
                   .snapshot = current_->snapshot,
                   .decision = current_->decision,
                   .change = change,
                   .deadline = now + kLongestWait + kSettleTime,
                   .sent = now});
  memory_.Concluded(current_->decision.memory);
  observer_.MayHaveWritten();
  return WriteScale{current_->snapshot, change, current_->decision.bounds};
}

store::EvaluationRecord Session::Summarize() const {
  store::EvaluationRecord evaluation =
      Describe(*current_->snapshot, current_->decision, options_.PeriodOf(*current_->autoscaler));
  evaluation.seen = current_->seen;
  evaluation.slowest = current_->gathered.slowest;
  if (options_.ModeOf(*current_->autoscaler).observes) {
    DescribeShadow(current_->decision, evaluation);
  }
  evaluation.incomplete = !memory_.completes();
  return evaluation;
}

std::optional<engine::Outcome> Session::OutcomeOf(const ScaleAnswer& answer) {
  INVARIANT(!attempts_.empty() && attempts_.newest().snapshot == current_->snapshot);
  attempts_.Sent(answer.sent);
  return answer.outcome ? answer.outcome : settler_.OutcomeOf(*current_->autoscaler, answer);
}

// Whatever overtook it comes next, and is worth telling.
NextEvaluation Session::EndUnsent(const engine::Outcome& outcome) {
  Attempt overtaken = attempts_.End(attempts_.size() - 1);
  overtaken.unsent = true;
  ConcludeAttempt(overtaken, outcome);
  return End();
}

engine::Conclusion Session::Conclude(const std::optional<engine::Outcome>& outcome) {
  if (outcome) {
    if (outcome->kind == Kind::kWritten) {
      options_.metrics.CountScaleEvent(*current_->snapshot, current_->seen, current_->decided,
                                       current_->Now(ports_.clock));
    }
    return ConcludeAttempt(attempts_.End(attempts_.size() - 1), *outcome);
  }
  std::optional<store::EvaluationRecord> evaluation;
  if (!Acts()) {
    evaluation = Summarize();
    if (ports_.ledger.KeepsDocuments(*evaluation)) {
      current_->decision = engine::Decide(*current_->snapshot);
    }
  }
  auto conclusion = engine::Conclude(*current_->snapshot, std::move(current_->decision), {});
  if (evaluation) {
    ports_.ledger.Append(store::Evaluated{*std::move(evaluation), conclusion.memory, &conclusion});
  }
  memory_.Concluded(std::move(conclusion.memory));  // which nobody reads after that
  return conclusion;
}

engine::Conclusion Session::ConcludeAttempt(const Attempt& attempt,
                                            const engine::Outcome& outcome) {
  const engine::Snapshot& snapshot = *attempt.snapshot;
  const Time done = ports_.clock.Now();
  engine::Conclusion conclusion;
  std::exception_ptr defect;
  bool concluded = false;
  try {
    conclusion = engine::Conclude(snapshot, attempt.decision, outcome);
    concluded = true;
  } catch (const std::exception&) {
    // The outcome is known all the same: no intent stays open, and the memory counts the write.
    defect = std::current_exception();
    conclusion.memory = attempt.decision.memory;
    engine::CountAttempt(conclusion.memory, snapshot, attempt.decision, outcome);
  }
  if (memory_.last_evaluation() > snapshot.now) {  // there were later evaluations
    memory_.ConcludedLate(attempt, outcome);
  } else {
    memory_.Concluded(conclusion.memory);
  }
  try {
    ports_.ledger.Append(store::Concluded{attempt.id, outcome, done, memory_.memory(),
                                          concluded ? &conclusion : nullptr});
  } catch (const std::exception&) {
    defect = std::current_exception();
    ports_.ledger.Append(store::Concluded{attempt.id, outcome, done, memory_.memory(), nullptr});
  }
  if (outcome.kind == Kind::kWritten) {
    observer_.Wrote({attempt.id, attempt.change.from, attempt.change.to, snapshot.now});
    tug_of_war_.Wrote(attempt.change.from, attempt.change.to);
  }
  if (outcome.kind == Kind::kUnknown && attempt.change.to == 0) {
    memory_.DoubtZero();
  }
  publisher_->Scaled(attempt, outcome);
  if (defect) {
    std::rethrow_exception(defect);
  }
  return conclusion;
}

Progress Session::Publish(engine::Conclusion conclusion) {
  const api::Autoscaler& autoscaler = *current_->autoscaler;
  const Time now = current_->began.wall;
  release_.Concluded(*current_->snapshot, conclusion,
                     observer_.replicas().value_or(current_->decision.current_replicas), now);
  if (!options_.ModeOf(autoscaler).reports) {
    on_decision_(*current_->snapshot, current_->decision, now);
    return End();
  }
  if (current_->snapshot->takes_over_from) {
    ports_.ledger.Append(store::EditSeen{SubjectOf(autoscaler), TakeOverOf(*current_->snapshot)});
  }
  publisher_->Evaluated(autoscaler, Problem(conclusion));
  publisher_->Emit(autoscaler, conclusion.events);
  if (const auto event = tug_of_war_.News(current_->began.steady)) {
    publisher_->Emit(autoscaler, {*event});
  }
  conclusion.status.schedules = schedules::StatusOf(*current_->snapshot);
  return Report(std::move(conclusion.status));
}

Progress Session::Refuse(AutoscalerPointer pointer, const engine::Refusal& refusal,
                         const MetricsAnswer& answer) {
  const api::Autoscaler& autoscaler = *pointer;
  LookAt(autoscaler, answer);
  memory_.BreakOff(engine::Break::kYielded);
  release_.Clear();
  Start(std::move(pointer));
  const Time now = current_->began.wall;
  api::AutoscalerStatus status = memory_.status().value_or(autoscaler.status);
  if (const auto target = ports_.source.TargetOf(answer); target->scale.ok()) {
    status.current_replicas = target->scale->spec_replicas;
  }
  ports_.ledger.Append(store::Refused{
      Describe(autoscaler, refusal, now, options_.PeriodOf(autoscaler), status.current_replicas),
      memory_.memory()});
  publisher_->Refused(autoscaler, refusal);
  return Report(engine::ConcludeRefusal(autoscaler, refusal, std::move(status), now));
}

Progress Session::Report(api::AutoscalerStatus status) {
  const api::Autoscaler& autoscaler = *current_->autoscaler;
  std::optional<StatusMemory> remembered;
  if (memory_.complete()) {
    remembered = {engine::MirrorOf(autoscaler.spec,
                                   {.downscale_stabilization = options_.downscale_stabilization},
                                   memory_.memory(), memory_.last_evaluation().value_or(Time())),
                  options_.writer, options_.leadership->term()};
  }
  engine::Tolerances tolerances;
  if (current_->snapshot) {  // it was evaluated
    tolerances =
        engine::TolerancesFor(engine::EffectiveSettings(*current_->snapshot), autoscaler.spec);
  }
  auto request = publisher_->Report(autoscaler, status, remembered, tolerances);
  memory_.Published(std::move(status));
  if (request) {
    // After a step of all metrics a thousand statuses wait, and none needs these any more.
    current_->snapshot.reset();
    current_->gathered = {};
    current_->decision = {};
    request->yields = std::min(kLongestYield, options_.PeriodOf(autoscaler));
    return std::move(*request);
  }
  return End();
}

NextEvaluation Session::EndPublished(const StatusAnswer& answer) {
  if (!answer.remembered) {
    options_.metrics.CountMemoryFailure();
  }
  publisher_->Answered(*current_->autoscaler, answer);
  return End();
}

NextEvaluation Session::End() {
  const auto ended = std::exchange(current_, nullptr);
  if (ended->action != nullptr) {
    options_.metrics.Count(ended->action, publisher_->problem().empty() ? "none" : "internal",
                           ports_.clock.Steady() - ended->began.steady);
  } else {
    options_.metrics.Count("none", "spec", {});
  }
  NextEvaluation next{options_.PeriodOf(*ended->autoscaler), std::nullopt};
  if (!publisher_->problem().empty()) {
    next.period = std::min(next.period, kProblemPeriod);
  }
  const auto release = release_.After(memory_.last_evaluation());
  if (!attempts_.empty()) {
    next.sooner = kLookAgain;
  } else if (release) {
    next.sooner = std::max(release->at - ports_.clock.Now(), Duration());
    next.prospect = release->prospect;
  }
  return next;
}

}  // namespace ballast::session
