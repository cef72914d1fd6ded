// Gathers a Snapshot: all that one evaluation of a policy may know.
//
// Evidence that a watch is behind, if there is any in the answers, has that watch listed again
// (staleness.h).
//
// Thread-safety: Use: not while Gather runs. The rest: any thread.
// Errors: none; an answer that is unavailable is a Failure in the snapshot, with the reason.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/autoscaling/feature_gates.h"
#include "api/decision/snapshot.h"
#include "operator/cluster/pod_owners.h"
#include "operator/cluster/pod_selection.h"
#include "operator/cluster/scale_targets.h"
#include "operator/cluster/sweeper.h"
#include "operator/cluster/watches.h"
#include "operator/controllers/ports.h"
#include "operator/controllers/staleness.h"
#include "operator/runtime/clock.h"
#include "operator/sources/sources.h"

namespace ballast::controllers {

class Gatherer final : public SnapshotSource {
 public:
  // The arguments must outlive the Gatherer. Registers with `sources`: construct it before the
  // first Fetch.
  Gatherer(const cluster::Watches& watches, cluster::ScaleTargets& targets,
           cluster::PodOwners& owners, sources::Sources& sources, const runtime::Clock& clock,
           const engine::Settings& settings)
      : watches_(watches),
        targets_(targets),
        owners_(owners),
        sources_(sources),
        clock_(clock),
        settings_(settings),
        staleness_(clock) {
    sources_.OnPodMetrics(
        [this](const auto& namespace_, const auto& metrics) { DoubtNames(namespace_, metrics); });
    sources_.CountPods([this](const std::string& namespace_) { return CountPods(namespace_); });
  }

  // The feature gates of the snapshots to come, in place of those in the settings.
  void Use(const api::FeatureGates& gates);

  bool Prepare(const api::Autoscaler& policy, Duration period,
               const std::function<void()>& done) override;
  Gathered Gather(const api::Autoscaler& policy, Duration period, Time now) override;

 private:
  // The answers that an evaluation has waited for.
  struct Prepared {
    Prepared(runtime::SteadyTime began, std::size_t metrics)
        : since(began), answered(metrics, began) {}

    const runtime::SteadyTime since;
    std::mutex mutex;                           // guards: the rest
    std::size_t missing = 1;                    // and one while they are being requested
    std::vector<runtime::SteadyTime> answered;  // of each metric
  };
  std::shared_ptr<Prepared> TakePrepared(const api::Autoscaler& policy);
  void DoubtCounts(const kube::Resource& resource, const api::ObjectKey& target,
                   const api::Scale& scale, const engine::PodList& pods);
  // The pods in the namespace; empty: in all.
  std::size_t CountPods(const std::string& namespace_) const;
  void DoubtNames(const std::string& namespace_,
                  const std::shared_ptr<const sources::NamespaceMetrics>& metrics);
  std::vector<engine::Rival> Rivals(const api::Autoscaler& policy,
                                    const cluster::PodSelection& selection);

  const cluster::Watches& watches_;
  cluster::ScaleTargets& targets_;
  cluster::PodOwners& owners_;
  sources::Sources& sources_;
  const runtime::Clock& clock_;
  engine::Settings settings_;
  Staleness staleness_;
  std::mutex mutex_;  // guards: the rest
  std::map<api::ObjectReference, std::shared_ptr<Prepared>> prepared_;
  cluster::Sweeper sweeper_;
};

}  // namespace ballast::controllers
