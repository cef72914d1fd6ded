// Two autoscalers on one target: which of them has to yield.
//
// Thread-safety: any thread.
#pragma once

#include <optional>
#include <string>

#include "api/autoscaling/types.h"
#include "operator/cluster/watches.h"

namespace ballast::cluster {

// Why `policy` must leave its target alone.
struct Conflict {
  std::string reason;   // CamelCase, for the condition
  std::string message;  // names the rival and the way out
};

// A policy yields to an HPA, which Ballast does not manage; of two policies the younger yields,
// ties broken by uid, unless the older one does not scale (Disabled, DryRun). nullopt: the target
// is this policy's.
std::optional<Conflict> FindConflict(const api::Autoscaler& policy, const Watches& watches);

}  // namespace ballast::cluster
