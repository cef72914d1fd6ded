// The feature gates for HorizontalPodAutoscalers: as the flag sets them, else the defaults of the
// API server's version.
//
// Thread-safety: any thread.
// Errors: none. If the version cannot be read, the defaults of the newest version that was tested
// count, and the log says so.
#pragma once

#include "api/autoscaling/feature_gates.h"
#include "operator/kube/transport.h"

namespace ballast::app {

// Asks the server once, and logs its version and the gates.
api::FeatureGates FindGates(kube::Transport& transport, const api::GateOverrides& overrides);

}  // namespace ballast::app
