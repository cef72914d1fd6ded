// Gathers a Snapshot: all that one evaluation of an autoscaler may know.
//
// Neither Prepare() nor, after it, Gather() waits for a metrics API or, where the target's scale is
// not watched yet, its kind not known, or an owner of its pods not, for the API server: threads of
// its own do that, some for each API group of targets, so that one that hangs delays no other. What
// Gather() would have to wait for because it came up since is not in the snapshot: it has the
// target, its pods and their owners as they were when they were last known together.
//
// What has waited in line for longer than RequestPool::kLongestInLine is not read any more: the
// evaluation goes on, with a Failure that says so in place of the target's scale (so that nothing
// is scaled, as where it cannot be read), and its next one tries again.
//
// Evidence that a watch is behind, if there is any in the answers, has that watch listed again
// (staleness.h).
//
// Thread-safety: Use: not while Gather runs. The rest: any thread.
// Errors: none; an answer that is unavailable is a Failure in the snapshot, with the reason. An
// exception on a thread of its own is thrown by Gather().
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/feature_gates.h"
#include "api/decision/snapshot.h"
#include "api/kubernetes/by_reference.h"
#include "operator/cluster/pod_owners.h"
#include "operator/cluster/pod_selection.h"
#include "operator/cluster/scale_targets.h"
#include "operator/cluster/sweeper.h"
#include "operator/cluster/watches.h"
#include "operator/controllers/ports.h"
#include "operator/controllers/rival_finder.h"
#include "operator/controllers/staleness.h"
#include "operator/process/clock.h"
#include "operator/sources/by_api.h"
#include "operator/sources/request_pool.h"
#include "operator/sources/sources.h"

namespace ballast::controllers {

class Gatherer final : public SnapshotSource {
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
        rivals_(watches, targets, request_pools_, clock),
        request_pools_(clock) {
    sources_.OnPodMetrics(
        [this](const auto& namespace_, const auto& metrics) { CheckNames(namespace_, metrics); });
    sources_.CountPods([this](const std::string& namespace_) { return CountPods(namespace_); });
  }

  // The feature gates and the version of Kubernetes of the snapshots to come, in place of those in
  // the settings.
  void Use(const api::FeatureGates& gates, int kubernetes_minor);

  bool Prepare(const cluster::AutoscalerPointer& autoscaler, Duration period,
               const std::function<void()>& done) override;
  bool PrepareScale(const cluster::AutoscalerPointer& autoscaler,
                    const std::function<void()>& done) override;
  Gathered Gather(const api::Autoscaler& autoscaler, Duration period, Time now) override;
  Result<api::Scale> ScaleOf(const api::Autoscaler& autoscaler) override;

 private:
  // What was read of a target.
  struct TargetReading {
    Result<kube::Resource> resource;
    Result<api::Scale> scale;
    Result<cluster::Ownership> ownership;  // empty if there is no scale
    process::SteadyTime at;                // when
  };
  using TargetPointer = std::shared_ptr<const TargetReading>;
  // The answers that an evaluation has waited for.
  struct Prepared {
    Prepared(cluster::AutoscalerPointer of, process::SteadyTime began,
             std::optional<process::SteadyTime> before)
        : autoscaler(std::move(of)),
          since(began),
          last(before),
          answered(autoscaler->spec.metrics.size(), began) {}

    const cluster::AutoscalerPointer autoscaler;  // as it was then
    const process::SteadyTime since;
    const std::optional<process::SteadyTime> last;  // as Query::last
    std::mutex mutex;                               // guards: the rest
    std::size_t missing = 1;                        // and one while they are being requested
    std::vector<process::SteadyTime> answered;      // of each metric
    TargetPointer target;                           // null: not read yet
    std::exception_ptr defect;  // that its thread met, for the evaluation to meet

    // Whether `now` is the same autoscaler and was not edited since.
    bool IsFor(const api::Autoscaler& now) const;
    // Takes `read` for the target, unless it needs other metrics than were asked for. Returns the
    // target.
    TargetPointer Renew(TargetPointer read);
    void Break(std::exception_ptr by) {
      const std::lock_guard lock(mutex);
      defect = std::move(by);
    }
    bool HasScale() {
      const std::lock_guard lock(mutex);
      return target != nullptr && target->scale.ok();
    }
  };
  // For answers that are waited for from now on.
  std::shared_ptr<Prepared> BeginToPrepare(const cluster::AutoscalerPointer& autoscaler);
  // Null: nothing was, for the autoscaler as it is.
  std::shared_ptr<Prepared> TakePrepared(const api::Autoscaler& autoscaler);
  // When the autoscaler's last evaluation had its answers. HPAs share none for a period.
  std::optional<process::SteadyTime> LastOf(const api::Autoscaler& autoscaler);
  void Had(const api::Autoscaler& autoscaler);
  // Prepare() once the rivals are known.
  bool PrepareTarget(const std::shared_ptr<Prepared>& prepared, Duration period,
                     const std::function<void()>& done);
  TargetPointer ReadTarget(const api::Autoscaler& autoscaler);
  // The same without a request; null: it would take one.
  TargetPointer ReadAtOnce(const api::Autoscaler& autoscaler);
  // Of what leads to an evaluation; returns whether that can begin.
  using Step = std::function<bool()>;
  // Calls `read` on a thread of the target's group, or `miss` if it has waited in line for too
  // long, and then `ready` if that says so. What they throw, Gather() throws; `broken` is called
  // then.
  void Submit(const api::Autoscaler& autoscaler, const std::shared_ptr<Prepared>& prepared,
              Step read, Step miss, const std::function<void()>& ready,
              const std::function<void()>& broken);
  // That reads the target.
  Step ReadingTarget(const std::shared_ptr<Prepared>& prepared);
  // That the target was not read in time, which the evaluation is told as a failure.
  Step MissingTarget(const std::shared_ptr<Prepared>& prepared) const;
  // Calls `done` once the target was read within kTargetKept, and if the autoscaler was edited
  // meanwhile, once that is prepared.
  void Reread(const std::shared_ptr<Prepared>& prepared, Duration period,
              const std::function<void()>& done);
  std::function<void()> Rereading(const std::shared_ptr<Prepared>& prepared, Duration period,
                                  const std::function<void()>& done);
  // As it is now, if that is known and what was prepared is for it; else as it was then. Throws
  // what was thrown there.
  TargetPointer TargetOf(const api::Autoscaler& autoscaler, Prepared* prepared);
  bool PrepareMetrics(const api::Autoscaler& autoscaler, const TargetReading& target,
                      Duration period, const std::shared_ptr<Prepared>& prepared,
                      const std::function<void()>& done);
  void CheckCounts(const kube::Resource& resource, const api::ObjectKey& target,
                   const api::Scale& scale, const engine::PodList& pods);
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
  std::mutex mutex_;  // guards: prepared_, last_ and their sweepers
  api::ByReference<std::shared_ptr<Prepared>> prepared_;
  api::ByReference<process::SteadyTime> last_;
  cluster::Sweeper sweeper_;
  cluster::Sweeper last_sweeper_;
  // By the targets' groups. Last: their threads use the rest.
  sources::ByApi<sources::RequestPool> request_pools_;
};

}  // namespace ballast::controllers
