// The pods that count for an autoscaler: those that its target's selector matches; with
// spec.podSelection Owned of these the ones that the target owns, directly or by way of others.
//
// Thread-safety: any thread; for Owned it may send requests (pod_owners.h). Failure modes: for
// Owned the error of asking whose the pods are. A selector that is empty or cannot be read matches
// nothing; it is the engine's to name that.
#pragma once

#include <cstdint>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/decision/snapshot.h"
#include "api/kubernetes/workload.h"
#include "operator/cluster/pod_owners.h"
#include "operator/cluster/watches.h"

namespace ballast::cluster {

struct PodSelection {
  engine::PodList pods;       // by name
  std::int32_t left_out = 0;  // Owned: pods that match, but belong to others or to nobody
  PodOwners::Uids owners;     // Owned: the target and whatever lies between it and its pods

  bool owned() const { return !owners.empty(); }
};

Result<PodSelection> SelectPods(const Watches& watches, PodOwners& owners,
                                const api::Autoscaler& autoscaler, const api::Scale& scale);

}  // namespace ballast::cluster
