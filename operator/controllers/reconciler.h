// One evaluation of one policy, from the gathering to the status:
//
//   settle -> gather -> decide -> ledger: intent -> patch the scale -> conclude -> ledger: outcome
//   -> status, events
//
// An attempt to write the scale whose outcome cannot be had at once (attempt.h) is settled before
// the next one: until then the engine holds everything that it decides.
// What goes wrong ends in a condition, an event and a log line that name the object and the way
// out; it never stops other policies. Thread-safety: any thread, but one policy by one thread at a
// time (the work queue sees to that).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/base/time.h"
#include "api/kubernetes/meta.h"
#include "operator/cluster/scale_targets.h"
#include "operator/cluster/watches.h"
#include "operator/controllers/attempt.h"
#include "operator/controllers/evaluation_metrics.h"
#include "operator/controllers/gather.h"
#include "operator/controllers/intent_recovery.h"
#include "operator/controllers/scale_observer.h"
#include "operator/controllers/scale_writer.h"
#include "operator/controllers/status_report.h"
#include "operator/engine/engine.h"
#include "operator/kube/client.h"
#include "operator/runtime/clock.h"
#include "operator/runtime/events.h"
#include "operator/telemetry/inside.h"
#include "store/ledger.h"

namespace ballast::controllers {

// What a reconciler works with; all must outlive it.
struct Wiring {
  const cluster::Watches& watches;
  cluster::ScaleTargets& targets;
  Gatherer& gatherer;
  kube::Client& client;
  store::Ledger& ledger;
  runtime::EventRecorder& events;
  const runtime::Clock& clock;
  engine::Settings settings = {};
  Duration default_period = Duration::Seconds(15);  // for policies without syncPeriodSeconds
  EvaluationMetrics metrics = {};
  // Who writes the status memory: the host's name and the store's path, and as which leader.
  std::string writer = {};
  std::function<std::int64_t()> term = [] { return std::int64_t{0}; };
  // Another replica may have led before this process did: its store is not the only memory.
  bool others_lead = false;
  // How long the process stood still since then (runtime/standstill.h).
  std::function<std::chrono::nanoseconds(runtime::SteadyTime)> stood_still =
      [](runtime::SteadyTime) { return std::chrono::nanoseconds(0); };
};

// When a policy is evaluated next: at its turn within `period` (schedule.h), or before that after
// `sooner`, because what holds its count back lets go then.
struct NextEvaluation {
  Duration period;
  std::optional<Duration> sooner;
};

class Reconciler {
 public:
  explicit Reconciler(const Wiring& wiring)
      : on_(wiring),
        recovery_(wiring.ledger, wiring.targets, wiring.client, wiring.clock),
        writer_(wiring.client, wiring.targets) {}

  // Call once, before the first evaluation: what earlier runs left without an outcome, of policies
  // that are no more.
  void SettleOthers();

  // Evaluates the policy, or forgets it if it is gone. When to do so again (sooner after a
  // problem); nullopt: it is gone.
  std::optional<NextEvaluation> Reconcile(const api::ObjectKey& key);

  // When the policy is due at the start of the operator: at once if it is new or was edited since,
  // or if an earlier run left an attempt that is not settled;
  // a period after its last evaluation, so that a restart brings none forward; and one that is
  // overdue, or whose last evaluation another replica has on record, at its turn within a period
  // (the default one at most), so that the fleet does not ask all at once.
  Duration FirstDelay(const api::Autoscaler& policy);

  // The attempts under way: sent, or about to be, and not settled. Any thread's.
  telemetry::Shown<telemetry::AttemptInside> Inside() const;

 private:
  struct State {
    std::string uid;
    engine::Memory memory;
    std::optional<Time> last_evaluation;
    std::optional<runtime::Instant> last;         // the same, of this process
    std::optional<api::AutoscalerStatus> status;  // as last concluded
    std::optional<LastDecision> last_decision;
    std::string last_problem;       // of the last evaluation; empty: it had none
    std::string told_problem;       // as the log has it
    std::vector<Attempt> attempts;  // not settled yet, oldest first
    std::optional<Time> release;    // when what holds the count back lets go
    ScaleObserver observer;
    bool fresh = false;  // the store remembers it until LongestGap() ago or later
    // The store may not know what was last: the status memory is still to be read.
    bool behind = true;
    bool own_zero = false;  // by the store the operator's last write was to zero, and stood
    StatusReport report;
    std::string version;  // the policy's, as last written or read by us: the watch may be behind
  };

  State& StateOf(const api::Autoscaler& policy);
  void Forget(const api::ObjectKey& key);
  Duration Period(const api::Autoscaler& policy) const;
  // Between two evaluations: what was recommended in a longer one is not known.
  Duration LongestGap(const api::Autoscaler& policy) const;

  // Says why the policy is not evaluated.
  void Refuse(const api::Autoscaler& policy, State& state, const std::string& condition,
              const std::string& reason, const std::string& message);
  void Evaluate(const api::Autoscaler& policy, State& state);
  // Adds to and takes from the state's attempts, of which others are told meanwhile.
  Attempt& Begin(State& state, Attempt attempt);
  Attempt End(State& state, std::size_t index);
  // Settles the attempts of which that can be done now.
  void Settle(const api::Autoscaler& policy, State& state);
  // What the evaluation knows of the one before it.
  void Remember(State& state, const runtime::Instant& now, engine::Snapshot& snapshot);
  // At the first evaluations of this process: completes what the store and the status know.
  void CatchUp(State& state, engine::Snapshot& snapshot);
  void CompleteZero(const Result<kube::Resource>& resource, const State& state,
                    engine::Snapshot& snapshot);
  // Records, carries out and concludes what was decided, as far as its outcome is known. A defect
  // in between is an exception, but leaves the ledger and the memory whole.
  engine::Conclusion Act(const Gathered& gathered, const engine::Decision& decision,
                         const Result<kube::Resource>& resource, Time seen, State& state);
  // Sends the attempt; what became of it, if that is known by now.
  std::optional<engine::Outcome> Send(const Attempt& attempt, const kube::Resource& resource);
  // The attempt ended so.
  engine::Conclusion Conclude(const Attempt& attempt, const engine::Outcome& outcome, State& state);
  std::int32_t CurrentReplicas(const api::Autoscaler& policy, const api::AutoscalerStatus& status);

  // Logs the problem of the last evaluation where it differs from what the log has.
  void Tell(const api::Autoscaler& policy, State& state);
  void Report(const api::Autoscaler& policy, State& state, const api::AutoscalerStatus& status);
  void Emit(const api::Autoscaler& policy, const std::vector<engine::Event>& events);

  const Wiring on_;
  IntentRecovery recovery_;
  ScaleWriter writer_;
  // guards: states_, and of what the pointers lead to that attempts come and go
  mutable std::mutex mutex_;
  std::map<api::ObjectKey, std::unique_ptr<State>> states_;
};

}  // namespace ballast::controllers
