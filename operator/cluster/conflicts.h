// Decides which of two autoscalers that scale the same target has to yield.
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

// Who an autoscaler is, and whose: "HorizontalPodAutoscaler shop/keda-hpa-web of ScaledObject web".
std::string NameWithOwner(const api::Autoscaler& autoscaler);

// The reason why `policy` must not scale its target; nullopt: the target is its own. A policy
// yields to every HPA. Of two policies the younger yields (the greater uid breaks ties). One that
// does not scale (Disabled, DryRun) is in nobody's way: it can be compared with what does.
std::optional<Conflict> FindConflict(const api::Autoscaler& policy, const Watches& watches);

}  // namespace ballast::cluster
