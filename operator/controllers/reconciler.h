// One evaluation of one policy, from the gathering to the status:
//
//   gather -> decide -> ledger: intent -> patch the scale -> conclude -> ledger: outcome -> status,
//   events
//
// What goes wrong ends in a condition, an event and a log line that name the object and the way
// out; it never stops other policies. Thread-safety: any thread, but one policy by one thread at a
// time (the work queue sees to that).
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/meta.h"
#include "api/time.h"
#include "operator/controllers/fleet.h"
#include "operator/controllers/gather.h"
#include "operator/controllers/metrics.h"
#include "operator/controllers/scale_writer.h"
#include "operator/controllers/settle.h"
#include "operator/controllers/status_report.h"
#include "operator/controllers/targets.h"
#include "operator/controllers/witness.h"
#include "operator/engine/engine.h"
#include "operator/kube/client.h"
#include "operator/runtime/clock.h"
#include "operator/runtime/events.h"
#include "store/ledger.h"

namespace ballast::controllers {

// What a reconciler works with; all must outlive it.
struct Wiring {
  const Fleet& fleet;
  Targets& targets;
  Gatherer& gatherer;
  kube::Client& client;
  store::Ledger& ledger;
  runtime::EventRecorder& events;
  const runtime::Clock& clock;
  engine::Settings settings = {};
  Duration default_period = Duration::Seconds(15);  // for policies without syncPeriodSeconds
  EvaluationMetrics metrics = {};
};

class Reconciler {
 public:
  explicit Reconciler(const Wiring& wiring)
      : on_(wiring),
        settler_(wiring.ledger, wiring.targets, wiring.client, wiring.clock),
        writer_(wiring.client, wiring.targets, settler_) {}

  // Call once, before the first evaluation: what earlier runs left without an outcome.
  void SettleIntents() { settler_.SettleAll(); }

  // Evaluates the policy, or forgets it if it is gone. How long to wait for the next evaluation
  // (less after a problem); nullopt: it is gone.
  std::optional<Duration> Reconcile(const api::ObjectKey& key);

  // When the policy is due at the start of the operator: at once if it is new or was edited since;
  // a period after its last evaluation, so that a restart brings none forward; and one that is
  // overdue, or whose last evaluation another replica has on record, at its turn within a period
  // (the default one at most), so that the fleet does not ask all at once.
  Duration FirstDelay(const api::Autoscaler& policy);

 private:
  struct State {
    std::string uid;
    engine::Memory memory;
    std::optional<Time> last_evaluation;
    std::optional<runtime::SteadyTime> last_steady;  // of this process
    std::optional<api::AutoscalerStatus> status;     // as last concluded
    std::optional<LastDecision> last_decision;
    std::string last_problem;  // as last logged
    Witness witness;
    bool behind = true;     // the store may not know what was last: the mirror is still to be read
    bool own_zero = false;  // by the store the operator's last write was to zero, and stood
    StatusReport report;
  };

  State& StateOf(const api::Autoscaler& policy);
  void Forget(const api::ObjectKey& key);
  Duration Period(const api::Autoscaler& policy) const;

  // Says why the policy is not evaluated.
  void Refuse(const api::Autoscaler& policy, State& state, const std::string& condition,
              const std::string& reason, const std::string& message);
  void Evaluate(const api::Autoscaler& policy, State& state);
  // At the first evaluations of this process: completes what the store and the status know.
  void CatchUp(State& state, engine::Snapshot& snapshot);
  void CompleteZero(const Result<kube::Resource>& resource, const State& state,
                    engine::Snapshot& snapshot);
  // Records, carries out and concludes what was decided. A defect in between is an exception, but
  // leaves the ledger and the memory whole.
  engine::Conclusion Act(const Gathered& gathered, const engine::Decision& decision,
                         const Result<kube::Resource>& resource, Time seen, State& state);
  bool ClockJumped(const State& state, Time now) const;

  void Report(const api::Autoscaler& policy, State& state, const api::AutoscalerStatus& status);
  void Emit(const api::Autoscaler& policy, const std::vector<engine::Event>& events);

  const Wiring on_;
  Settler settler_;
  ScaleWriter writer_;
  std::mutex mutex_;  // guards: states_, not what the pointers lead to
  std::map<api::ObjectKey, std::unique_ptr<State>> states_;
};

}  // namespace ballast::controllers
