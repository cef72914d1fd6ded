// The pods that count for an autoscaler: those that its target's selector matches and, with
// spec.podSelection Owned, that the target owns directly or through other objects.
//
// Thread-safety: any thread; with Owned, OwnershipOf() and what uses it may send
// requests (pod_owners.h).
// Errors: with Owned, PodOwners' error. A selector that is empty or invalid selects no pods and is
// no error here: the engine reports it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/decision/snapshot.h"
#include "api/kubernetes/workload.h"
#include "operator/cluster/pod_cache.h"
#include "operator/cluster/pod_owners.h"
#include "operator/process/clock.h"

namespace ballast::cluster {

struct PodSelection {
  engine::PodList pods;       // by name
  std::int32_t left_out = 0;  // Owned: pods that match but are not the target's
  PodOwners::Uids owners;     // Owned: uids of the target and the owners below it

  bool owned() const { return !owners.empty(); }
};

// With Owned: the pods that the selector matches, as of one moment, and the uids of the target and
// of the owners between it and them. So a pod that appears while owners are read neither counts nor
// is left out. Else empty.
struct Ownership {
  std::vector<PodCache::Controlled> pods;
  PodOwners::Uids owners;
};

// `pods`, as in all of these: at least those of the autoscaler's namespace; null: none.
// `deadline`: of the requests.
Result<Ownership> OwnershipOf(const PodCache* pods, PodOwners& owners,
                              const api::Autoscaler& autoscaler, const api::Scale& scale,
                              process::SteadyTime deadline = process::SteadyTime::max());
// The same without a request; nullopt: it would take one.
std::optional<Ownership> OwnershipAtOnce(const PodCache* pods, PodOwners& owners,
                                         const api::Autoscaler& autoscaler,
                                         const api::Scale& scale);

// `ownership`: what one of these returned.
PodSelection SelectPods(const PodCache* pods, const Ownership& ownership,
                        const api::Autoscaler& autoscaler, const api::Scale& scale);
// All at once.
Result<PodSelection> SelectPods(const PodCache* pods, PodOwners& owners,
                                const api::Autoscaler& autoscaler, const api::Scale& scale,
                                process::SteadyTime deadline = process::SteadyTime::max());

}  // namespace ballast::cluster
