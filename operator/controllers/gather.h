// Gathers a Snapshot: all that one evaluation of an autoscaler may know.
//
// What an evaluation would have to wait for is read on threads of the metrics APIs and, where the
// target's scale is not watched yet, or its kind not known, on some for each API group of targets,
// and for an owner of its pods on others, so that one that hangs delays no other. What came up
// since then and would have to be waited for is not in the snapshot: it has the target, its pods
// and their owners as they were when they were last known together.
//
// What has waited in line for longer than RequestPool::kLongestInLine is not read any more: the
// evaluation goes on, with a Failure that says so in place of the scale or the pods (so that
// nothing is scaled, as where they cannot be read), and its next one tries again.
//
// Evidence that a watch is behind, if there is any in the answers, has that watch listed again
// (staleness.h).
//
// Thread-safety: Use: not while Gather runs. The rest: any thread, but TargetOf for one answer by
// one at a time.
// Errors: none; an answer that is unavailable is a Failure in the snapshot, with the reason. An
// exception while it was read is the answer's defect.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/feature_gates.h"
#include "api/decision/snapshot.h"
#include "operator/cluster/pod_owners.h"
#include "operator/cluster/pod_selection.h"
#include "operator/cluster/scale_targets.h"
#include "operator/cluster/watches.h"
#include "operator/controllers/rival_finder.h"
#include "operator/controllers/staleness.h"
#include "operator/process/clock.h"
#include "operator/session/ports.h"
#include "operator/sources/by_api.h"
#include "operator/sources/request_pool.h"
#include "operator/sources/sources.h"

namespace ballast::controllers {

// What is read for a request; once that is told, one thread's at a time.
struct ClusterReading final : session::Fetched {
  // Of the target.
  struct TargetReading final : session::SeenTarget {
    TargetReading(Result<api::Scale> seen, Result<cluster::Ownership> owners,
                  process::SteadyTime now)
        : SeenTarget(std::move(seen)), ownership(std::move(owners)), at(now) {}

    Result<cluster::Ownership> ownership;  // empty if there is no scale
    process::SteadyTime at;                // when
  };
  using ReadingPointer = std::shared_ptr<const TargetReading>;

  ClusterReading(const session::FetchMetrics& of, session::SnapshotSource::Done then)
      : request(of), done(std::move(then)) {}

  // Takes `read` for the target, unless it needs other metrics than were asked for. Returns the
  // target.
  const ReadingPointer& Renew(ReadingPointer read);

  const session::FetchMetrics request;
  session::SnapshotSource::Done done;        // null: it was called
  ReadingPointer target;                     // null: not read yet
  std::atomic<std::size_t> missing = 1;      // metrics, and one while they are being requested
  std::vector<sources::PodsAnswer> answers;  // of each metric
  std::vector<std::chrono::duration<double>> took;  // that long each
};

class Gatherer final : public session::SnapshotSource {
 public:
  // The arguments must outlive the Gatherer. Registers with `sources`: construct it before the
  // first Fetch.
  Gatherer(const cluster::Watches& watches, cluster::ScaleTargets& targets,
           cluster::PodOwners& owners, sources::Sources& sources, const process::Clock& clock,
           const engine::Settings& settings)
      : watches_(watches),
        targets_(targets),
        owners_(owners),
        sources_(sources),
        clock_(clock),
        settings_(settings),
        staleness_(clock),
        rivals_(watches, targets, scale_pools_, clock),
        owner_pools_(clock),
        scale_pools_(clock) {
    sources_.OnPodMetrics(
        [this](const auto& namespace_, const auto& metrics) { CheckNames(namespace_, metrics); });
    sources_.CountPods([this](const std::string& namespace_) { return CountPods(namespace_); });
  }

  // The feature gates and the version of Kubernetes of the snapshots to come, in place of those in
  // the settings.
  void Use(const api::FeatureGates& gates, int kubernetes_minor);

  void Start(const session::FetchMetrics& request, Done done) override;
  // As it is now, if that is known and what was read is for it; else as it was then.
  session::TargetPointer TargetOf(const session::MetricsAnswer& answer) override;
  session::Gathered Gather(const session::MetricsAnswer& answer, const session::SeenTarget& target,
                           engine::Snapshot& snapshot) override;

 private:
  using FetchedPointer = std::shared_ptr<ClusterReading>;
  using TargetReading = ClusterReading::TargetReading;
  using ReadingPointer = ClusterReading::ReadingPointer;

  // The target without a request; null: it would take one.
  ReadingPointer ReadAtOnce(const api::Autoscaler& autoscaler);
  // The owners of its pods, if it needs them; nullopt: that would take a request.
  std::optional<cluster::Ownership> OwnersAtOnce(const api::Autoscaler& autoscaler,
                                                 const Result<api::Scale>& scale);
  // The steps of a request. One ends with the beginning of the next one, maybe on another thread.
  void FindTarget(const FetchedPointer& fetched);
  // Has the target read by SubmitTarget: its scale, then the owners of its pods.
  void FindOwners(const FetchedPointer& fetched, Result<api::Scale> scale,
                  std::function<void()> next);
  void AskForMetrics(const FetchedPointer& fetched);
  void Answered(const FetchedPointer& fetched);
  // Tells what was read, with the target as it was read within kTargetKept.
  void Finish(const FetchedPointer& fetched);
  // By the targets' groups.
  using Pools = RivalFinder::Pools;
  // Calls `read` on one of the threads for the autoscaler's target, or `miss` if it has waited in
  // line for too long, and then `next`. `read` returns whether it got what it asked for.
  static void Submit(Pools& pools, const std::string& api_version, const FetchedPointer& fetched,
                     std::function<bool()> read, std::function<void()> miss,
                     std::function<void()> next);
  // So that the target is read. That it was not in time, the evaluation is told as a failure.
  void SubmitTarget(const FetchedPointer& fetched, std::function<void()> next);
  void CheckCounts(const api::Autoscaler& autoscaler, const api::Scale& scale,
                   const engine::PodList& pods);
  // The pods in the namespace; empty: in all.
  std::size_t CountPods(const std::string& namespace_) const;
  void CheckNames(const std::string& namespace_,
                  const std::shared_ptr<const sources::NamespaceMetrics>& metrics);

  const cluster::Watches& watches_;
  cluster::ScaleTargets& targets_;
  cluster::PodOwners& owners_;
  sources::Sources& sources_;
  const process::Clock& clock_;
  engine::Settings settings_;
  Staleness staleness_;
  RivalFinder rivals_;
  // Last: their threads use the rest, and those that read scales the others. An owner of pods that
  // hangs keeps none waiting that reads a scale.
  Pools owner_pools_;
  Pools scale_pools_;
};

}  // namespace ballast::controllers
