#include "operator/controllers/reconciler.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>
#include <variant>

#include "api/validation.h"
#include "operator/controllers/conflicts.h"
#include "operator/controllers/evaluation.h"
#include "operator/controllers/history_condition.h"
#include "operator/controllers/mirror.h"
#include "operator/controllers/read_back.h"
#include "operator/controllers/turn.h"
#include "operator/engine/conditions.h"
#include "operator/engine/rules.h"
#include "operator/engine/zero.h"
#include "operator/runtime/log.h"

namespace ballast::controllers {
namespace {

constexpr const char* kConflicted = "Conflicted";

// Wall and steady clock drift apart by slewing; a step is more than this.
constexpr Duration kClockTolerance = Duration::Seconds(2);

// However long its period, a policy with a problem is looked at again after this.
constexpr Duration kProblemPeriod = Duration::Seconds(15);

const char* ActionOf(std::int32_t from, std::int32_t to) {
  return to > from ? "scale_up" : to < from ? "scale_down" : "none";
}

// Counts the metrics that were looked at.
void CountMetrics(const EvaluationMetrics& metrics, const Gathered& gathered,
                  const engine::Decision& decision) {
  const auto& specs = gathered.snapshot.autoscaler.spec.metrics;
  for (std::size_t i = 0; i < decision.proposals.size(); ++i) {
    const auto& proposal = decision.proposals[i];
    metrics.CountMetric(proposal ? ActionOf(decision.current_replicas, *proposal) : "none",
                        proposal ? "none" : "internal", specs[i].type, gathered.asked[i]);
  }
}

}  // namespace

std::optional<Duration> Reconciler::Reconcile(const api::ObjectKey& key) {
  const AutoscalerPointer policy = on_.fleet.policies.Get(key);
  if (policy == nullptr) {
    Forget(key);
    return std::nullopt;
  }
  State& state = StateOf(*policy);
  if (const auto conflict = FindConflict(*policy, on_.fleet)) {
    Refuse(*policy, state, kConflicted, conflict->reason, conflict->message);
  } else if (const auto errors = api::ValidateSpec(*policy); !errors.empty()) {
    Refuse(*policy, state, "", "InvalidSpec", errors.front().field + ": " + errors.front().message);
  } else {
    Evaluate(*policy, state);
  }
  const Duration period = Period(*policy);
  return state.last_problem.empty() ? period : std::min(period, kProblemPeriod);
}

Duration Reconciler::FirstDelay(const api::Autoscaler& policy) {
  if (policy.status.observed_generation != policy.metadata.generation) {
    return {};  // nobody has evaluated it as it is now
  }
  const State& state = StateOf(policy);
  const Duration period = Period(policy);
  if (state.last_evaluation && on_.clock.Now() - *state.last_evaluation < period) {
    return std::min(*state.last_evaluation + period - on_.clock.Now(), period);
  }
  const runtime::SteadyTime now = on_.clock.Steady();
  const auto wait = NextTurn(policy.key(), std::min(period, on_.default_period), now) - now;
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(wait).count()};
}

Reconciler::State& Reconciler::StateOf(const api::Autoscaler& policy) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<State>& state = states_[policy.key()];
  if (state != nullptr && state->uid != policy.metadata.uid) {
    on_.ledger.Forget(state->uid);  // deleted and made again
    state = nullptr;
  }
  if (state == nullptr) {
    state = std::make_unique<State>(
        State{.uid = policy.metadata.uid, .report = StatusReport(policy.status)});
    if (auto known = on_.ledger.Recall(policy.metadata.uid, on_.clock.Now())) {
      state->memory = std::move(known->memory);
      state->last_evaluation = known->last_evaluation;
      state->witness = Witness(*known);
      state->own_zero = known->last_write && known->last_write->to == 0 && known->replicas == 0;
      // Another replica may have led since an evaluation that is long ago.
      state->behind =
          on_.clock.Now() - known->last_evaluation > Duration{Period(policy).nanoseconds * 2};
    }
  }
  return *state;
}

void Reconciler::Forget(const api::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  if (const auto found = states_.find(key); found != states_.end()) {
    on_.ledger.Forget(found->second->uid);
    settler_.GiveUp(found->second->uid);
    states_.erase(found);
  }
}

Duration Reconciler::Period(const api::Autoscaler& policy) const {
  return policy.spec.sync_period_seconds ? Duration::Seconds(*policy.spec.sync_period_seconds)
                                         : on_.default_period;
}

void Reconciler::Refuse(const api::Autoscaler& policy, State& state, const std::string& condition,
                        const std::string& reason, const std::string& message) {
  on_.metrics.Count("none", "spec", {});
  const Time now = on_.clock.Now();
  api::AutoscalerStatus status = state.status.value_or(policy.status);
  on_.ledger.RecordRefusal({.subject = {policy.metadata.uid, policy.kind, policy.key()},
                            .time = now,
                            .period = Period(policy),
                            .current_replicas = status.current_replicas,
                            .desired_replicas = status.current_replicas,
                            .reason = condition.empty() ? reason : condition,
                            .message = message,
                            .generation = policy.metadata.generation});
  status.observed_generation = policy.metadata.generation;
  engine::Conditions conditions(status.conditions, now);
  if (!condition.empty()) {
    conditions.True(condition, reason, message);
  }
  conditions.False(engine::kReady, condition.empty() ? reason : condition, message);
  if (state.last_problem != message) {
    log::Warn("a policy is not evaluated",
              {{"policy", policy.key().Print()}, {"reason", reason}, {"message", message}});
    Emit(policy, {{"Warning", condition.empty() ? reason : condition, message}});
    state.last_problem = message;
  }
  Report(policy, state, status);
  state.status = std::move(status);
}

void Reconciler::Evaluate(const api::Autoscaler& policy, State& state) {
  settler_.Retry(state.uid);
  const Time now = on_.clock.Now();
  const runtime::SteadyTime started = on_.clock.Steady();
  const Result<kube::Resource> resource = on_.targets.Resolve(policy.spec.scale_target_ref);
  Gathered gathered = on_.gatherer.Gather(policy, resource, now);
  engine::Snapshot& snapshot = gathered.snapshot;
  if (state.status) {
    snapshot.autoscaler.status = *state.status;  // the watch may not have seen our last write
  }
  snapshot.memory = state.memory;
  snapshot.last_evaluation = state.last_evaluation;
  snapshot.clock_jumped = ClockJumped(state, now);
  if (state.behind) {
    CatchUp(state, snapshot);
  }
  if (!state.status) {
    CompleteZero(resource, state, snapshot);
  }
  const Time seen = on_.clock.Now();
  state.witness.See(snapshot, on_.ledger,
                    [&] { return FindManager(on_.client, *resource, TargetKey(policy)); });
  state.last_evaluation = now;
  state.last_steady = on_.clock.Steady();

  const engine::Decision decision = engine::Decide(snapshot);
  CountMetrics(on_.metrics, gathered, decision);
  engine::Conclusion conclusion = Act(snapshot, decision, resource, seen, state);

  const std::string problem = Problem(conclusion);
  if (problem != state.last_problem) {
    if (problem.empty()) {
      log::Info("a policy works again", {{"policy", policy.key().Print()}});
    } else {
      log::Warn("a policy has a problem", {{"policy", policy.key().Print()}, {"problem", problem}});
    }
    state.last_problem = problem;
  }
  Emit(policy, conclusion.events);
  engine::Conditions(conclusion.status.conditions, now).Remove(kConflicted);
  if (const auto event = NoteHistory(on_.ledger.health(), now, conclusion.status.conditions)) {
    Emit(policy, {*event});
  }
  Report(policy, state, conclusion.status);
  state.status = std::move(conclusion.status);
  on_.metrics.Count(
      ActionOf(decision.current_replicas,
               decision.rescale ? decision.target_replicas : decision.current_replicas),
      problem.empty() ? "none" : "internal", on_.clock.Steady() - started);
}

void Reconciler::CatchUp(State& state, engine::Snapshot& snapshot) {
  const api::Autoscaler& policy = snapshot.autoscaler;
  const auto* scale = std::get_if<api::Scale>(&snapshot.scale);
  if (scale == nullptr) {
    return;  // nothing is decided; next time
  }
  const auto stored = on_.client.Get(kPolicies, policy.key());
  const auto mirror = stored.ok() ? DecodeMirror(*stored) : stored.error();
  if (mirror.ok()) {
    Merge(*snapshot.memory, *mirror);
  } else {
    log::Warn("what the status remembers cannot be read; nothing is scaled in for one window",
              {{"policy", policy.key().Print()}, {"error", mirror.error().message}});
  }
  // What was recommended since the mirror was written is not known.
  snapshot.memory->recommendations.push_back({snapshot.now, scale->spec_replicas});
  state.behind = !stored.ok();
}

// A process that ended between a scale to zero and its status has left no condition to say whose
// zero it is; without one the policy would count as switched off for good.
void Reconciler::CompleteZero(const Result<kube::Resource>& resource, const State& state,
                              engine::Snapshot& snapshot) {
  api::Autoscaler& policy = snapshot.autoscaler;
  const auto* scale = std::get_if<api::Scale>(&snapshot.scale);
  if (scale == nullptr || scale->spec_replicas != 0 ||
      engine::IsTrue(policy.status.conditions, engine::kScaledToZero)) {
    return;
  }
  const auto manager = FindManager(on_.client, *resource, TargetKey(policy));
  if (manager ? manager->manager == kFieldManager : state.own_zero) {
    engine::Conditions conditions(policy.status.conditions, snapshot.now);
    engine::RecordZero(engine::RulesFor(policy).SettingsFor(snapshot), policy,
                       policy.spec.min_replicas.value_or(1), 1, 0, conditions);
  }
}

engine::Conclusion Reconciler::Act(const engine::Snapshot& snapshot,
                                   const engine::Decision& decision,
                                   const Result<kube::Resource>& resource, Time seen,
                                   State& state) {
  const api::Autoscaler& policy = snapshot.autoscaler;
  if (!decision.rescale) {
    engine::Conclusion conclusion = engine::Conclude(snapshot, decision, {});
    on_.ledger.RecordEvaluation(Describe(snapshot, decision, Period(policy)), conclusion.memory,
                                [&] { return Print(conclusion); });
    state.memory = conclusion.memory;
    return conclusion;
  }
  store::Evaluation evaluation = Describe(snapshot, decision, Period(policy));
  evaluation.seen = seen;
  evaluation.decided = on_.clock.Now();
  const store::Ledger::Intent intent = on_.ledger.RecordIntent(evaluation);
  const WriteAttempt attempt{intent.id,
                             policy.metadata.namespace_,
                             policy.spec.scale_target_ref,
                             {std::get<api::Scale>(snapshot.scale).metadata.uid,
                              decision.current_replicas, decision.target_replicas}};
  engine::Outcome outcome;
  std::exception_ptr defect;
  try {
    outcome = writer_.Write(policy, *resource, attempt);
  } catch (const std::exception& problem) {
    // As after a crash here: nobody knows, and it is asked for before the next evaluation.
    settler_.AskAgain(state.uid, attempt);
    outcome = {engine::Outcome::Kind::kUnknown, problem.what()};
    defect = std::current_exception();
  }
  const Time done = on_.clock.Now();
  // What is known before it is concluded, and all there is if that fails.
  engine::Conclusion conclusion{.memory = decision.memory};
  engine::CountAttempt(conclusion.memory, snapshot, decision, outcome);
  try {
    conclusion = engine::Conclude(snapshot, decision, outcome);
    on_.ledger.RecordOutcome(intent.id, outcome, done, conclusion.memory,
                             [&] { return Print(conclusion); });
  } catch (const std::exception&) {
    // How it ended is known all the same: no intent stays open, and the memory counts the write.
    defect = std::current_exception();
    on_.ledger.RecordOutcome(intent.id, outcome, done, conclusion.memory, nullptr);
  }
  if (outcome.kind == engine::Outcome::Kind::kWritten) {
    log::Info("scaled", {{"policy", policy.key().Print()},
                         {"from", decision.current_replicas},
                         {"to", decision.target_replicas},
                         {"reason", decision.rescale_reason}});
    state.witness.Wrote(
        {intent.id, decision.current_replicas, decision.target_replicas, snapshot.now});
    state.last_decision = LastDecision{intent.id, snapshot.now, BindingRule(decision)};
  } else {
    state.witness.MayHaveWritten();
    log::Warn("the scale could not be written", {{"policy", policy.key().Print()},
                                                 {"from", decision.current_replicas},
                                                 {"to", decision.target_replicas},
                                                 {"error", outcome.message}});
  }
  state.memory = conclusion.memory;
  if (defect) {
    std::rethrow_exception(defect);
  }
  return conclusion;
}

bool Reconciler::ClockJumped(const State& state, Time now) const {
  if (!state.last_evaluation || !state.last_steady) {
    return false;
  }
  const Duration wall = now - *state.last_evaluation;
  const auto steady =
      std::chrono::duration_cast<std::chrono::nanoseconds>(on_.clock.Steady() - *state.last_steady);
  return std::abs(wall.nanoseconds - steady.count()) > kClockTolerance.nanoseconds;
}

void Reconciler::Report(const api::Autoscaler& policy, State& state,
                        const api::AutoscalerStatus& status) {
  const runtime::SteadyTime now = on_.clock.Steady();
  std::optional<engine::Memory> mirror;
  if (!state.behind) {  // else the one that is there is still to be read
    mirror =
        Mirrored(policy.spec, on_.settings, state.memory, state.last_evaluation.value_or(Time()));
  }
  const auto patch = state.report.Due(policy.spec, status, state.last_decision, mirror, now);
  if (!patch) {
    return;
  }
  const Status sent = on_.client.PatchStatus(kPolicies, policy.key(), policy.metadata.uid, *patch);
  if (sent.ok()) {
    state.report.Sent(now);
  } else if (sent.error().code != Code::kNotFound) {  // deleted meanwhile
    log::Warn("the status could not be written; it will be tried again",
              {{"policy", policy.key().Print()}, {"error", sent.error().message}});
  }
}

void Reconciler::Emit(const api::Autoscaler& policy, const std::vector<engine::Event>& events) {
  const runtime::ObjectReference regarding{policy.api_version, policy.kind,
                                           policy.metadata.namespace_, policy.metadata.name,
                                           policy.metadata.uid};
  for (const engine::Event& event : events) {
    on_.events.Record({regarding, event.type, event.reason, "Scale", event.message});
  }
}

}  // namespace ballast::controllers
