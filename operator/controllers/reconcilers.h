// The Reconcilers (reconciler.h) of all autoscalers, by name. Has read what an evaluation would
// wait for, and then begins it as the autoscaler is by then, or not at all while the watches may
// not show it as it is (autoscaler_freshness.h). Forgets autoscalers that are gone or ignored.
//
// Thread-safety: any thread, but for one autoscaler one thread at a time, from Begin until its
// evaluation has ended, as the work queue ensures.
// Errors: as Session; one autoscaler's never affect others.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/base/time.h"
#include "api/decision/schedule_window.h"
#include "api/decision/snapshot.h"
#include "api/kubernetes/by_reference.h"
#include "api/kubernetes/meta.h"
#include "operator/cluster/watches.h"
#include "operator/controllers/autoscaler_freshness.h"
#include "operator/controllers/evaluation_slots.h"
#include "operator/hpa/hpa_options.h"
#include "operator/hpa/hpa_reconciler.h"
#include "operator/hpa/other_controllers.h"
#include "operator/session/ports.h"
#include "operator/session/reconciler.h"
#include "operator/session/requests.h"
#include "operator/session/session_options.h"
#include "operator/sources/sample_rhythm.h"

namespace ballast::controllers {

// How evaluations are spread over time.
struct Pacing {
  // Whether slots are shared across namespaces now (evaluation_slots.h).
  std::function<bool()> slots_across_namespaces = [] { return false; };
  // In which rhythm metrics.k8s.io takes its samples; absent: unknown.
  std::function<std::optional<sources::Rhythm>()> pod_metrics_rhythm =
      []() -> std::optional<sources::Rhythm> { return std::nullopt; };
};

struct ReconcilersOptions {
  session::SessionOptions sessions = {};
  hpa::HpaOptions hpas = {};
  Pacing pacing = {};
};

class Reconcilers {
 public:
  // `watches` and what `ports` refers to must outlive the Reconcilers.
  Reconcilers(const cluster::Watches& watches, const session::Ports& ports,
              ReconcilersOptions options = {});

  // Settles attempts that earlier runs left for autoscalers that are gone. Call once, before the
  // first evaluation.
  void SettleAbandoned();

  // Whether the autoscaler's mode is another than `ignore`.
  bool Serves(const api::Autoscaler& autoscaler) const;
  // Why an override of it has no effect; empty: it has.
  std::string ObstacleTo(const api::ObjectReference& autoscaler) const;
  // All such autoscalers that there are.
  std::vector<cluster::AutoscalerPointer> Served() const;
  // How many of them have a condition with a reason: {kind, mode, condition, reason}, as their
  // status says.
  std::map<std::vector<std::string>, double> CountConditions() const;

  // Begins an evaluation. If the autoscaler is gone or ignored, it is forgotten: nullopt, maybe
  // only after a last write.
  std::optional<session::Progress> Begin(const api::ObjectReference& key) { return Begin(key, {}); }
  // As SnapshotSource::Start.
  void Fetch(const session::FetchMetrics& request, session::SnapshotSource::Done done) {
    ports_.source.Start(request, std::move(done));
  }
  // Carries out an evaluation's write. A scale is not sent if the autoscaler has been edited or
  // deleted since, or has to yield to another autoscaler.
  session::Answer CarryOut(const session::Request& write);
  // Continues the evaluation with the answer to its request; nullopt: as Begin().
  std::optional<session::Progress> Resume(const api::ObjectReference& key,
                                          const session::Answer& answer);

  // As Session::FirstDelay; at once if an override counts, which may be newer than what was done.
  Duration FirstDelay(const api::Autoscaler& autoscaler);
  // The autoscaler's next evaluation, after `now` by more than 0 and at most one period: behind new
  // samples (sample_moments.h), else in its slot (evaluation_slots.h).
  process::SteadyTime NextRun(const api::ObjectReference& key, Duration period,
                              process::SteadyTime now);

 private:
  std::optional<session::Progress> Begin(const api::ObjectReference& key,
                                         const session::MetricsAnswer& answer);
  // Why the watches may be wrong about what matters for a write; empty: they are not.
  std::string WhyOutOfDate(const api::Autoscaler& autoscaler);
  session::Reconciler& ReconcilerOf(const api::Autoscaler& autoscaler);
  std::unique_ptr<session::Reconciler> MakeReconciler(const api::Autoscaler& autoscaler) const;
  // `present`: the autoscaler that has that name now; null: there is none. Returns what is written
  // last; nullopt: nothing.
  std::optional<session::Progress> Forget(const api::ObjectReference& key,
                                          const api::Autoscaler* present);
  // Why what was decided on that snapshot must not be written any more.
  std::optional<std::string> Overtaken(const engine::Snapshot& snapshot) const;
  // Those of its overrides that count now.
  std::vector<engine::ScheduleWindow> OpenOverridesOf(const api::Autoscaler& autoscaler,
                                                      Time now) const;

  const cluster::Watches& watches_;
  const session::Ports ports_;
  const ReconcilersOptions options_;
  AutoscalerFreshness freshness_;
  EvaluationSlots slots_;
  hpa::OtherControllers others_;
  const hpa::HpaReconciler::Surroundings around_hpas_;
  std::mutex mutex_;  // guards: the map; a Reconciler belongs to its autoscaler's thread
  api::ByReference<std::unique_ptr<session::Reconciler>> reconcilers_;
};

}  // namespace ballast::controllers
