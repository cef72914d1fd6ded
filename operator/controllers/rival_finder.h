// The other autoscalers that may scale an autoscaler's pods, for its snapshot: those whose targets
// may select one of them, which the engine checks.
//
// Where the kind of a target is not watched, its scale has to be read before this can tell.
//
// Thread-safety: any thread. Read() waits for the API server.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/decision/snapshot.h"
#include "api/kubernetes/by_reference.h"
#include "operator/cluster/pod_selection.h"
#include "operator/cluster/scale_targets.h"
#include "operator/cluster/sweeper.h"
#include "operator/cluster/watches.h"
#include "operator/process/clock.h"
#include "operator/sources/by_api.h"
#include "operator/sources/request_pool.h"

namespace ballast::controllers {

class RivalFinder {
 public:
  using Pools = sources::ByApi<sources::RequestPool>;  // by the targets' groups

  // The arguments must outlive the RivalFinder, but for the pools: their threads use it.
  RivalFinder(const cluster::Watches& watches, cluster::ScaleTargets& targets, Pools& pools,
              const process::Clock& clock)
      : watches_(watches), targets_(targets), pools_(pools), clock_(clock) {}

  // The other autoscalers whose targets have to be read one by one before Find() knows them. Keeps
  // the kinds of the namespace watched that can be (ScaleTargets::KeepWatched).
  std::vector<cluster::AutoscalerPointer> Unread(const api::Autoscaler& autoscaler);
  // For as long as a line may be: what is left then is still unread.
  void Read(const std::vector<cluster::AutoscalerPointer>& unread);

  // `selector`: of the autoscaler's target. Has the kinds of all targets of the namespace watched,
  // so that they are known in evaluations to come.
  std::vector<engine::Rival> Find(const api::Autoscaler& autoscaler, const std::string& selector,
                                  const cluster::PodSelection& selection);

 private:
  void StartWatching(const api::CrossVersionObjectReference& kind);
  // Whether an HPA has computed a count since this process began, as far as it has looked. Before
  // that, upstream's controller does not know which pods the HPA scales, so it is no rival of
  // another one; afterwards it is, until it is deleted. It computes none for a target that somebody
  // has switched off.
  bool HasComputed(const api::Autoscaler& hpa, const api::Scale& scale);

  const cluster::Watches& watches_;
  cluster::ScaleTargets& targets_;
  Pools& pools_;
  const process::Clock& clock_;
  std::mutex mutex_;                        // guards: the rest
  std::set<std::string> starting_;          // kinds, in their pools
  api::ByReference<std::string> computed_;  // HPAs that have computed a count: their uids
  cluster::Sweeper sweeper_;
};

}  // namespace ballast::controllers
