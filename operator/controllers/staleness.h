// Evidence that the watch of pods is behind, although it reports nothing wrong: a target counts
// another number of pods than the view has, or the metrics API tells of pods that the view does not
// know.
//
// In a rollout both are so for moments, hence evidence counts only when it lasts. What has
// outlasted a reading of all pods is not the watch's fault (a selector that matches others' pods
// too, a controller that counts in its own way) and is not believed again for an hour. Pods without
// metrics are no evidence: a metrics server needs up to a minute for a new pod, and a node's broken
// kubelet leaves them without for days; a pod that is gone shows in the count. Thread-safety: any
// thread.
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
#include "operator/runtime/clock.h"
#include "operator/sources/pod_metrics.h"

namespace ballast::controllers {

// Whether a target counts other pods than these. Those that are being deleted may count or not;
// those that have ended do not.
bool CountsDiffer(const api::Scale& scale, const engine::PodList& pods);

class Staleness {
 public:
  enum class Remedy { kNone, kAskTarget, kReadPods };

  explicit Staleness(const runtime::Clock& clock) : clock_(clock) {}

  // What to do about a target's count. First it is the scale that may be old.
  Remedy LookAtCounts(const std::string& target, const api::Scale& scale,
                      const engine::PodList& pods, runtime::SteadyTime read_at);

  // Whether pods that metrics of the namespace are of have the view read again.
  bool LookAtNames(const std::string& namespace_,
                   const std::shared_ptr<const sources::NamespaceMetrics>& metrics,
                   const cluster::PodCache& pods, runtime::SteadyTime read_at);

  // Of how many targets and namespaces something is kept.
  std::size_t size() const;

 private:
  struct Count {
    runtime::SteadyTime since;
    runtime::SteadyTime seen_at;
    bool asked = false;  // for the scale
  };
  struct Names {
    std::weak_ptr<const sources::NamespaceMetrics> looked_at;
    std::map<std::string, runtime::SteadyTime> unknown;  // since when
    runtime::SteadyTime seen_at;
  };

  void Sweep();

  const runtime::Clock& clock_;
  mutable std::mutex mutex_;             // guards: the rest
  std::map<std::string, Count> counts_;  // of targets whose counts differ
  std::map<std::string, Names> names_;   // by namespace
  cluster::Sweeper sweeper_;
};

}  // namespace ballast::controllers
