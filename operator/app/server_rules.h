// What the API server's version says of HorizontalPodAutoscalers: whose rules count, and the
// feature gates, unless the flag sets them.
//
// Thread-safety: any thread.
// Errors: none. If the version cannot be read, the defaults of the newest version that was tested
// count, and the log says so.
#pragma once

#include "api/autoscaling/feature_gates.h"
#include "operator/kube/transport.h"

namespace ballast::app {

struct ServerRules {
  api::FeatureGates gates;
  int minor = api::kTestedMinor;  // of Kubernetes 1
};

// Asks the server once, and logs its version and the gates.
ServerRules FindRules(kube::Transport& transport, const api::GateOverrides& overrides);

}  // namespace ballast::app
