// What all HPAs share, beside what all autoscalers do (session_options.h).
#pragma once

#include "api/base/namespaces.h"
#include "operator/hpa/shadow_metrics.h"

namespace ballast::hpa {

struct HpaOptions {
  Namespaces take_over_in = {};  // where HPAs may be managed
  ShadowMetrics shadows = {};
};

}  // namespace ballast::hpa
