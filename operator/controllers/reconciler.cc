#include "operator/controllers/reconciler.h"

#include "api/autoscaling/condition_types.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>
#include <variant>

#include "api/autoscaling/validation.h"
#include "operator/cluster/conflicts.h"
#include "operator/controllers/evaluation.h"
#include "operator/controllers/history_condition.h"
#include "operator/controllers/read_back.h"
#include "operator/controllers/schedule.h"
#include "operator/controllers/status_memory.h"
#include "operator/controllers/take_over.h"
#include "operator/engine/conditions.h"
#include "operator/engine/rules.h"
#include "operator/engine/scale_to_zero.h"
#include "operator/runtime/log.h"

namespace ballast::controllers {
namespace {

using Kind = engine::Outcome::Kind;

// Wall and steady clock drift apart by slewing; a step is more than this.
constexpr Duration kClockTolerance = Duration::Seconds(2);

// How soon an attempt whose outcome is not known is looked for again.
constexpr Duration kLookAgain = Duration::Seconds(2);

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

// What an attempt leaves in the memory of evaluations after it.
void AddAttempt(engine::Memory& memory, const Attempt& attempt, const engine::Outcome& outcome) {
  const auto& decided = attempt.decision.memory.recommendations;
  memory.recommendations.insert(memory.recommendations.end(), decided.begin(), decided.end());
  const auto at = [&](const engine::ScaleEvent& event) {
    return event.time == attempt.snapshot->now;
  };
  if (std::ranges::none_of(memory.scale_ups, at) && std::ranges::none_of(memory.scale_downs, at)) {
    engine::CountAttempt(memory, *attempt.snapshot, attempt.decision, outcome);
  }
}

}  // namespace

void Reconciler::SettleOthers() {
  recovery_.SettleOthers([this](const store::Subject& subject) {
    const cluster::AutoscalerPointer policy = on_.watches.policies.Get(subject.key);
    return policy != nullptr && policy->metadata.uid == subject.uid;
  });
}

std::optional<NextEvaluation> Reconciler::Reconcile(const api::ObjectKey& key) {
  const cluster::AutoscalerPointer policy = on_.watches.policies.Get(key);
  if (policy == nullptr) {
    Forget(key);
    return std::nullopt;
  }
  State& state = StateOf(*policy);
  Settle(*policy, state);
  if (const auto conflict = cluster::FindConflict(*policy, on_.watches)) {
    Refuse(*policy, state, api::kConflicted, conflict->reason, conflict->message);
  } else if (const auto errors = api::ValidateSpec(*policy); !errors.empty()) {
    Refuse(*policy, state, "", api::kInvalidSpec,
           errors.front().field + ": " + errors.front().message);
  } else {
    Evaluate(*policy, state);
  }
  NextEvaluation next{Period(*policy), std::nullopt};
  if (!state.last_problem.empty()) {
    next.period = std::min(next.period, kProblemPeriod);
  }
  // A release stands until an evaluation came after it, although one before it names none: that may
  // have had no newer sample.
  if (state.release && state.last_evaluation >= state.release) {
    state.release.reset();
  }
  if (!state.attempts.empty()) {
    next.sooner = kLookAgain;
  } else if (state.release) {
    next.sooner = std::max(*state.release - on_.clock.Now(), Duration());
  }
  return next;
}

Duration Reconciler::FirstDelay(const api::Autoscaler& policy) {
  if (policy.status.observed_generation != policy.metadata.generation) {
    return {};  // nobody has evaluated it as it is now
  }
  const State& state = StateOf(policy);
  if (!state.attempts.empty()) {
    return {};  // what became of it is found out first
  }
  const Duration period = Period(policy);
  if (state.last_evaluation && on_.clock.Now() - *state.last_evaluation < period) {
    return std::min(*state.last_evaluation + period - on_.clock.Now(), period);
  }
  const runtime::SteadyTime now = on_.clock.Steady();
  const auto wait = NextRun(policy.key(), std::min(period, on_.default_period), now) - now;
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
    // First: what is settled at once counts in what is recalled.
    state->attempts = recovery_.LeftOver(policy.metadata.uid);
    if (auto known = on_.ledger.Recall(policy.metadata.uid, on_.clock.Now())) {
      state->memory = std::move(known->memory);
      state->last_evaluation = known->last_evaluation;
      state->observer = ScaleObserver(*known);
      state->own_zero = known->last_write && known->last_write->to == 0 && known->replicas == 0;
      state->fresh = on_.clock.Now() - known->last_evaluation <= LongestGap(policy);
      state->behind = !state->fresh || on_.others_lead;
    }
    for (const Attempt& attempt : state->attempts) {
      if (!state->last_evaluation || *state->last_evaluation <= attempt.snapshot->now) {
        state->memory = attempt.decision.memory;  // as it was in the process that made it
        state->last_evaluation = attempt.snapshot->now;
      }
    }
  }
  return *state;
}

void Reconciler::Forget(const api::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  if (const auto found = states_.find(key); found != states_.end()) {
    on_.ledger.Forget(found->second->uid);
    states_.erase(found);
  }
}

Duration Reconciler::Period(const api::Autoscaler& policy) const {
  return policy.spec.sync_period_seconds ? Duration::Seconds(*policy.spec.sync_period_seconds)
                                         : on_.default_period;
}

Duration Reconciler::LongestGap(const api::Autoscaler& policy) const {
  return {Period(policy).nanoseconds * 2};
}

void Reconciler::Refuse(const api::Autoscaler& policy, State& state, const std::string& condition,
                        const std::string& reason, const std::string& message) {
  on_.metrics.Count("none", "spec", {});
  const Time now = on_.clock.Now();
  api::AutoscalerStatus status = state.status.value_or(policy.status);
  status.current_replicas = CurrentReplicas(policy, status);
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
  conditions.Remove(api::kConflicted);
  if (!condition.empty()) {
    conditions.True(condition, reason, message);
  }
  conditions.False(api::kReady, condition.empty() ? reason : condition, message);
  if (state.last_problem != message) {
    Emit(policy, {{"Warning", condition.empty() ? reason : condition, message}});
    state.last_problem = message;
  }
  const std::string name = policy.key().Print();
  if (state.told_problem != message &&
      log::Warn(log::About{name, reason}, "a policy is not evaluated",
                {{"policy", name}, {"reason", reason}, {"message", message}})) {
    state.told_problem = message;
  }
  Report(policy, state, status);
  state.status = std::move(status);
}

std::int32_t Reconciler::CurrentReplicas(const api::Autoscaler& policy,
                                         const api::AutoscalerStatus& status) {
  const auto resource = on_.targets.Resolve(policy.spec.scale_target_ref);
  const auto scale = resource.ok() ? on_.targets.Read(*resource, cluster::TargetKey(policy))
                                   : Result<api::Scale>(resource.error());
  return scale.ok() ? scale->spec_replicas : status.current_replicas;
}

Attempt& Reconciler::Begin(State& state, Attempt attempt) {
  const std::lock_guard lock(mutex_);
  return state.attempts.emplace_back(std::move(attempt));
}

Attempt Reconciler::End(State& state, std::size_t index) {
  const std::lock_guard lock(mutex_);
  Attempt ended = std::move(state.attempts[index]);
  state.attempts.erase(state.attempts.begin() + static_cast<std::ptrdiff_t>(index));
  return ended;
}

telemetry::Shown<telemetry::AttemptInside> Reconciler::Inside() const {
  telemetry::Shown<telemetry::AttemptInside> inside;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, state] : states_) {
    for (const Attempt& attempt : state->attempts) {
      if (inside.items.size() == telemetry::kMostShown) {
        ++inside.left_out;
        continue;
      }
      inside.items.push_back({.policy = key.Print(),
                              .decision = attempt.id,
                              .decided = Print(attempt.snapshot->now),
                              .from = attempt.change.from,
                              .to = attempt.change.to,
                              .settled_by = attempt.deadline});
    }
  }
  return inside;
}

void Reconciler::Settle(const api::Autoscaler& policy, State& state) {
  bool credited = false;  // the replicas are the work of one attempt at most
  for (std::size_t at = 0; at < state.attempts.size();) {
    auto outcome = recovery_.Find(state.attempts[at]);
    if (!outcome) {
      ++at;
      continue;
    }
    const Attempt attempt = End(state, at);
    if (credited && outcome->kind == Kind::kWritten) {
      *outcome = {Kind::kUnknown, "an earlier attempt to the same count arrived"};
    }
    credited = credited || outcome->kind == Kind::kWritten;
    log::Info("found out what became of an attempt to write a scale",
              {{"policy", policy.key().Print()},
               {"from", attempt.change.from},
               {"to", attempt.change.to},
               {"written", outcome->kind == Kind::kWritten},
               {"detail", outcome->message}});
    const engine::Conclusion conclusion = Conclude(attempt, *outcome, state);
    if (state.status) {  // else that of the API server is at least as new
      state.status = conclusion.status;
    }
    Emit(policy, conclusion.events);
  }
}

void Reconciler::Evaluate(const api::Autoscaler& policy, State& state) {
  const runtime::Instant now = runtime::ReadBoth(on_.clock);
  const Result<kube::Resource> resource = on_.targets.Resolve(policy.spec.scale_target_ref);
  Gathered gathered = on_.gatherer.Gather(policy, resource, now.wall);
  Remember(state, now, gathered.snapshot);
  if (!state.status) {
    CompleteZero(resource, state, gathered.snapshot);
  }
  const auto takes_over_from = BeginTakeOver(on_.watches.HpasOf(policy), gathered.snapshot);
  const Time seen = on_.clock.Now();
  state.observer.See(gathered.snapshot, on_.ledger, [&] {
    return FindManager(on_.client, *resource, cluster::TargetKey(policy));
  });
  state.last_evaluation = now.wall;
  state.last = now;

  const engine::Snapshot& snapshot = gathered.snapshot;
  const engine::Decision decision = engine::Decide(snapshot);
  CountMetrics(on_.metrics, gathered, decision);
  engine::Conclusion conclusion = Act(gathered, decision, resource, seen, state);
  if (takes_over_from) {
    FinishTakeOver(*takes_over_from, snapshot, conclusion);
  }

  state.last_problem = Problem(conclusion);
  Tell(policy, state);
  Emit(policy, conclusion.events);
  engine::Conditions(conclusion.status.conditions, now.wall).Remove(api::kConflicted);
  if (const auto event = NoteHistory(on_.ledger.health(), now.wall, conclusion.status.conditions)) {
    Emit(policy, {*event});
  }
  Report(policy, state, conclusion.status);
  state.status = std::move(conclusion.status);
  if (conclusion.release) {
    state.release = conclusion.release->at;
  }
  on_.metrics.Count(
      ActionOf(decision.current_replicas,
               decision.rescale ? decision.target_replicas : decision.current_replicas),
      state.last_problem.empty() ? "none" : "internal", on_.clock.Steady() - now.steady);
}

void Reconciler::Tell(const api::Autoscaler& policy, State& state) {
  const std::string& problem = state.last_problem;
  if (problem == state.told_problem) {
    return;
  }
  const std::string name = policy.key().Print();
  const std::string reason = problem.substr(0, problem.find(':'));
  if (problem.empty() ? log::Info(log::About{name}, "a policy works again", {{"policy", name}})
                      : log::Warn(log::About{name, reason}, "a policy has a problem",
                                  {{"policy", name}, {"problem", problem}})) {
    state.told_problem = problem;
  }
}

void Reconciler::Remember(State& state, const runtime::Instant& now, engine::Snapshot& snapshot) {
  if (state.status) {
    snapshot.autoscaler.status = *state.status;  // the watch may not have seen our last write
  }
  snapshot.memory = state.memory;
  snapshot.last_evaluation = state.last_evaluation;
  if (state.last) {
    const Duration wall = now.wall - state.last->wall;
    const std::chrono::nanoseconds steady = now.steady - state.last->steady;
    snapshot.clock_jumped =
        std::abs(wall.nanoseconds - steady.count()) > kClockTolerance.nanoseconds;
    snapshot.interrupted =
        on_.stood_still(state.last->steady).count() > LongestGap(snapshot.autoscaler).nanoseconds;
  }
  if (!state.attempts.empty()) {
    const Attempt& attempt = state.attempts.back();
    snapshot.unsettled_write = {attempt.snapshot->now, attempt.change.from, attempt.change.to};
  }
  if (state.behind) {
    CatchUp(state, snapshot);
  }
}

void Reconciler::CatchUp(State& state, engine::Snapshot& snapshot) {
  if (!std::holds_alternative<api::Scale>(snapshot.scale)) {
    return;  // nothing is decided; next time
  }
  const api::Autoscaler& policy = snapshot.autoscaler;
  const auto stored = on_.client.Get(cluster::kPolicies, policy.key());
  const auto remembered = stored.ok() ? DecodeStatusMemory(*stored) : stored.error();
  if (stored.ok()) {
    state.version =
        json::Decoder(*stored).root().Member("metadata").Member("resourceVersion").Text();
  }
  if (remembered.ok()) {
    state.report.StoredWriter(remembered->writer);
    if (!state.fresh || remembered->writer != on_.writer) {
      // What was recommended since the status memory was written is not known.
      Merge(*snapshot.memory, remembered->memory);
      snapshot.interrupted = true;
    }
  } else {
    const std::string name = policy.key().Print();
    log::Warn(log::About{name, Name(remembered.error().code)},
              "what the status remembers cannot be read; nothing is scaled in for one window",
              {{"policy", name}, {"error", remembered.error().message}});
    snapshot.interrupted = true;
  }
  state.behind = !stored.ok();
}

// A process that ended between a scale to zero and its status has left no condition to say whose
// zero it is; without one the policy would count as switched off for good.
void Reconciler::CompleteZero(const Result<kube::Resource>& resource, const State& state,
                              engine::Snapshot& snapshot) {
  api::Autoscaler& policy = snapshot.autoscaler;
  const auto* scale = std::get_if<api::Scale>(&snapshot.scale);
  if (scale == nullptr || scale->spec_replicas != 0 ||
      engine::IsTrue(policy.status.conditions, api::kScaledToZero)) {
    return;
  }
  const auto manager = FindManager(on_.client, *resource, cluster::TargetKey(policy));
  if (manager ? manager->manager == kFieldManager : state.own_zero) {
    engine::Conditions conditions(policy.status.conditions, snapshot.now);
    engine::RecordZero(engine::RulesFor(policy).SettingsFor(snapshot), policy,
                       policy.spec.min_replicas.value_or(1), 1, 0, conditions);
  }
}

engine::Conclusion Reconciler::Act(const Gathered& gathered, const engine::Decision& decision,
                                   const Result<kube::Resource>& resource, Time seen,
                                   State& state) {
  const engine::Snapshot& snapshot = gathered.snapshot;
  const api::Autoscaler& policy = snapshot.autoscaler;
  store::Evaluation evaluation = Describe(snapshot, decision, Period(policy));
  evaluation.seen = seen;
  evaluation.slowest = gathered.slowest;
  if (!decision.rescale) {
    engine::Conclusion conclusion = engine::Conclude(snapshot, decision, {});
    on_.ledger.RecordEvaluation(evaluation, conclusion.memory, [&] { return Print(conclusion); });
    state.memory = conclusion.memory;
    return conclusion;
  }
  evaluation.decided = on_.clock.Now();
  const store::Ledger::Intent intent = on_.ledger.RecordIntent(evaluation);
  // Until its outcome is known, whatever happens below, it may have been written.
  const Attempt& sent = Begin(state, {intent.id,
                                      std::make_shared<const engine::Snapshot>(snapshot),
                                      decision,
                                      {std::get<api::Scale>(snapshot.scale).metadata.uid,
                                       decision.current_replicas, decision.target_replicas},
                                      on_.clock.Steady() + kSettleTime});
  state.memory = decision.memory;
  state.observer.MayHaveWritten();
  if (const auto outcome = Send(sent, *resource)) {
    return Conclude(End(state, state.attempts.size() - 1), *outcome, state);
  }
  engine::Conclusion conclusion = engine::Conclude(snapshot, decision, {});
  state.memory = conclusion.memory;
  return conclusion;
}

std::optional<engine::Outcome> Reconciler::Send(const Attempt& attempt,
                                                const kube::Resource& resource) {
  const api::Autoscaler& policy = attempt.snapshot->autoscaler;
  std::string lost;
  auto outcome = writer_.Write(policy, resource, attempt.change, lost);
  if (outcome) {
    return outcome;
  }
  outcome = recovery_.Find(attempt);
  if (outcome && outcome->kind != Kind::kWritten) {
    outcome->message = lost + " (" + outcome->message + ")";
  }
  if (!outcome) {
    const std::string name = policy.key().Print();
    log::Warn(log::About{name},
              "whether the scale was written is not known yet; nothing else is written until it is",
              {{"policy", name},
               {"from", attempt.change.from},
               {"to", attempt.change.to},
               {"error", lost}});
  }
  return outcome;
}

engine::Conclusion Reconciler::Conclude(const Attempt& attempt, const engine::Outcome& outcome,
                                        State& state) {
  const engine::Snapshot& snapshot = *attempt.snapshot;
  const api::Autoscaler& policy = snapshot.autoscaler;
  const Time done = on_.clock.Now();
  engine::Conclusion conclusion;
  std::exception_ptr defect;
  store::JsonSource print;
  try {
    conclusion = engine::Conclude(snapshot, attempt.decision, outcome);
    print = [&] { return Print(conclusion); };
  } catch (const std::exception&) {
    // How it ended is known all the same: no intent stays open, and the memory counts the write.
    defect = std::current_exception();
    conclusion.memory = attempt.decision.memory;
    engine::CountAttempt(conclusion.memory, snapshot, attempt.decision, outcome);
  }
  if (state.last_evaluation > snapshot.now) {  // others came after it
    AddAttempt(state.memory, attempt, outcome);
  } else {
    state.memory = conclusion.memory;
  }
  try {
    on_.ledger.RecordOutcome(attempt.id, outcome, done, state.memory, print);
  } catch (const std::exception&) {
    defect = std::current_exception();
    on_.ledger.RecordOutcome(attempt.id, outcome, done, state.memory, nullptr);
  }
  if (outcome.kind == Kind::kWritten) {
    log::Info("scaled", {{"policy", policy.key().Print()},
                         {"from", attempt.change.from},
                         {"to", attempt.change.to},
                         {"reason", attempt.decision.rescale_reason}});
    state.observer.Wrote({attempt.id, attempt.change.from, attempt.change.to, snapshot.now});
    const engine::Step* limit = engine::BindingStep(attempt.decision.trace);
    state.last_decision = LastDecision{
        attempt.id, snapshot.now, limit == nullptr ? std::nullopt : std::optional(limit->rule)};
  } else {
    const std::string name = policy.key().Print();
    log::Warn(log::About{name}, "the scale could not be written",
              {{"policy", name},
               {"from", attempt.change.from},
               {"to", attempt.change.to},
               {"error", outcome.message}});
  }
  if (defect) {
    std::rethrow_exception(defect);
  }
  return conclusion;
}

void Reconciler::Report(const api::Autoscaler& policy, State& state,
                        const api::AutoscalerStatus& status) {
  const runtime::SteadyTime now = on_.clock.Steady();
  std::optional<StatusMemory> remembered;
  if (!state.behind) {  // else the one that is there is still to be read
    remembered = {MemoryForStatus(policy.spec, on_.settings, state.memory,
                                  state.last_evaluation.value_or(Time())),
                  on_.writer, on_.term()};
  }
  const auto patch = state.report.Due(policy.spec, status, state.last_decision, remembered, now);
  if (!patch) {
    return;
  }
  const std::string& watched = policy.metadata.resource_version;
  const bool behind = api::VersionNumber(watched) < api::VersionNumber(state.version);
  const auto sent =
      on_.client.PatchStatus(cluster::kPolicies, policy.key(),
                             {policy.metadata.uid, behind ? state.version : watched}, *patch);
  if (sent.ok()) {
    state.version = *sent;
    state.report.Sent(now);
    return;
  }
  Error problem = sent.error();
  if (problem.code == Code::kConflict) {
    // Somebody changed the policy, or we did and the answer was lost.
    const auto stored = on_.client.GetMetadata(cluster::kPolicies, policy.key());
    if (stored.ok()) {
      state.version = stored->resource_version;
      return;
    }
    problem = stored.error();
  }
  if (problem.code != Code::kNotFound) {  // deleted meanwhile
    const std::string name = policy.key().Print();
    log::Warn(log::About{name, Name(problem.code)},
              "the status could not be written; it will be tried again",
              {{"policy", name}, {"error", problem.message}});
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
