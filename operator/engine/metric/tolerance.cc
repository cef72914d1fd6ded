#include "operator/engine/metric/tolerance.h"

namespace ballast::engine {
namespace {

double ToleranceOf(const Boxed<api::ScalingRules>& rules, double otherwise) {
  return rules && rules->tolerance ? rules->tolerance->ToDouble() : otherwise;
}

}  // namespace

Tolerances TolerancesFor(const Settings& settings, const api::AutoscalerSpec& spec) {
  if (!spec.behavior || !settings.configurable_tolerance) {
    return {settings.tolerance, settings.tolerance};
  }
  return {ToleranceOf(spec.behavior->scale_down, settings.tolerance),
          ToleranceOf(spec.behavior->scale_up, settings.tolerance)};
}

}  // namespace ballast::engine
