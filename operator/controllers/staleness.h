// Evidence that the watch of pods is behind although it reports no error: a target counts another
// number of pods than the cache has, or the metrics API names pods that the cache does not have.
//
// Both occur for moments during a rollout, so evidence counts only if it lasts. Evidence that
// outlasts a list of all pods is not the watch's fault (a selector that matches others' pods too, a
// controller that counts differently), and is ignored for an hour. Pods without metrics are no
// evidence: a metrics server takes up to a minute for a new pod, and a node with a broken kubelet
// has none for days; a pod that is gone shows in the count.
//
// Thread-safety: any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "api/decision/snapshot.h"
#include "api/kubernetes/workload.h"
#include "operator/cluster/pod_cache.h"
#include "operator/cluster/sweeper.h"
#include "operator/process/clock.h"
#include "operator/sources/namespace_metrics.h"

namespace ballast::controllers {

// Whether the target's count contradicts these pods. Pods being deleted may or may not be counted;
// pods that have ended are not.
bool CountsDiffer(const api::Scale& scale, const engine::PodList& pods);

class Staleness {
 public:
  enum class Remedy { kNone, kAskTarget, kReadPods };

  explicit Staleness(const process::Clock& clock) : clock_(clock) {}

  // What to do about a target's count: first the scale is read, since it may be the stale one; if
  // they still differ, all pods are listed again.
  Remedy LookAtCounts(const std::string& target, const api::Scale& scale,
                      const engine::PodList& pods, process::SteadyTime read_at);

  // Whether the namespace's pods should be listed again, because there are metrics of unknown pods.
  bool LookAtNames(const std::string& namespace_,
                   const std::shared_ptr<const sources::NamespaceMetrics>& metrics,
                   const cluster::PodCache& pods, process::SteadyTime read_at);

  // Number of targets and namespaces with state.
  std::size_t size() const;

 private:
  struct Count {
    process::SteadyTime since;
    process::SteadyTime seen_at;
    bool asked = false;  // the scale was read
  };
  struct Names {
    std::weak_ptr<const sources::NamespaceMetrics> looked_at;
    std::map<std::string, process::SteadyTime> unknown;  // since when, by pod name
    process::SteadyTime seen_at;
  };

  void Sweep();

  const process::Clock& clock_;
  mutable std::mutex mutex_;             // guards: the rest
  std::map<std::string, Count> counts_;  // by target; only where counts differ
  std::map<std::string, Names> names_;   // by namespace
  cluster::Sweeper sweeper_;
};

}  // namespace ballast::controllers
