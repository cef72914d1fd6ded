#include "api/autoscaling/gate_check.h"

#include <optional>
#include <string>

namespace ballast::api {
namespace {

// A warning for a gate that is not set. `what`: what happens where it is off.
std::string Perhaps(const std::string& what, const FeatureGate& gate) {
  return what + " where " + std::string(gate.name) + " is off (on since 1." +
         std::to_string(gate.on_since) + "); see --feature-gates";
}

void CheckMinReplicas(const std::optional<bool>& on, ObjectCheck& check) {
  if (check.autoscaler.spec.min_replicas != 0) {
    return;
  }
  if (!on) {
    check.warnings.push_back(Perhaps("spec.minReplicas: 0 is refused", kScaleToZeroGate));
  } else if (!*on) {
    check.errors.Add("spec.minReplicas", "must be 1 or more, because the feature gate " +
                                             std::string(kScaleToZeroGate.name) + " is off");
  }
}

void CheckTolerance(const std::optional<bool>& on, const Boxed<ScalingRules>& rules,
                    const std::string& field, ObjectCheck& check) {
  if (!rules || !rules->tolerance) {
    return;
  }
  if (!on) {
    check.warnings.push_back(Perhaps(field + ": dropped", kConfigurableToleranceGate));
  } else if (!*on) {
    check.warnings.push_back(field + ": dropped, because the feature gate " +
                             std::string(kConfigurableToleranceGate.name) + " is off");
  }
}

}  // namespace

void CheckGates(const GateOverrides& gates, ObjectCheck& check) {
  if (check.autoscaler.is_policy()) {
    return;
  }
  CheckMinReplicas(gates.scale_to_zero, check);
  if (const auto& behavior = check.autoscaler.spec.behavior) {
    CheckTolerance(gates.configurable_tolerance, behavior->scale_up,
                   "spec.behavior.scaleUp.tolerance", check);
    CheckTolerance(gates.configurable_tolerance, behavior->scale_down,
                   "spec.behavior.scaleDown.tolerance", check);
  }
}

}  // namespace ballast::api
