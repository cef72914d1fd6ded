// Which policies to evaluate early because a pod has become ready: until then their target may have
// been short of it.
//
// A policy is evaluated early at most once a second, however many pods become ready; those that are
// evaluated every second anyway are left out. (A sample that has justified a scale-up justifies no
// other, however early: operator/engine/policy/used_samples.h.) HPAs keep their period, as upstream
// does.
//
// Thread-safety: any thread; sends no requests.
// Errors: none; a target that is not watched has no policies here.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <vector>

#include "api/kubernetes/meta.h"
#include "operator/cluster/pod_cache.h"
#include "operator/cluster/scale_targets.h"
#include "operator/cluster/sweeper.h"
#include "operator/cluster/watches.h"
#include "operator/process/clock.h"
#include "operator/runtime/informer.h"

namespace ballast::controllers {

class ReadyPods {
 public:
  using PodChange = runtime::Informer<cluster::PackedPod, cluster::PodCache>::Change;
  struct Due {
    api::ObjectReference policy;
    std::chrono::nanoseconds after;  // from now
  };

  // The arguments must outlive this.
  ReadyPods(const cluster::Watches& watches, const cluster::ScaleTargets& targets,
            const process::Clock& clock)
      : watches_(watches), targets_(targets), clock_(clock) {}

  // The policies to evaluate because of this change; none unless the pod has become ready.
  std::vector<Due> See(const PodChange& change);

 private:
  std::vector<api::ObjectReference> PoliciesOf(const cluster::PackedPod& pod) const;

  const cluster::Watches& watches_;
  const cluster::ScaleTargets& targets_;
  const process::Clock& clock_;
  std::mutex mutex_;                                            // guards: the rest
  std::map<api::ObjectReference, process::SteadyTime> latest_;  // the early evaluation of each
  cluster::Sweeper sweeper_;
};

}  // namespace ballast::controllers
