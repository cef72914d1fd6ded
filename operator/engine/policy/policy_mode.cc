#include "operator/engine/policy/policy_mode.h"

#include "api/autoscaling/condition_types.h"

#include <string>

namespace ballast::engine {
namespace {

std::string DescribeWish(const Decision& decision) {
  const std::string from = std::to_string(decision.current_replicas);
  if (decision.rescale) {
    return "would scale from " + from + " to " + std::to_string(decision.target_replicas) + ": " +
           decision.rescale_reason;
  }
  if (decision.problem) {
    return "would change nothing: " + decision.problem->message;
  }
  return "would stay at " + from + " replicas";
}

}  // namespace

void ApplyMode(api::Mode mode, Conditions& conditions, Decision& decision) {
  switch (mode) {
    case api::Mode::kActive:
      return;
    case api::Mode::kDisabled:
      conditions.True(api::kHeld, api::kModeDisabled,
                      "spec.mode is Disabled: nothing is evaluated and the target keeps the "
                      "replicas it has; set it to Active to resume");
      return;
    case api::Mode::kDryRun:
      conditions.True(api::kHeld, "DryRun", DescribeWish(decision));
      decision.dry_run_replicas = decision.target_replicas;
      if (decision.rescale) {
        decision.status.desired_replicas = decision.target_replicas;
        decision.rescale = false;
      }
      return;
  }
}

}  // namespace ballast::engine
