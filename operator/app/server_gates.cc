#include "operator/app/server_gates.h"

#include "operator/kube/server_version.h"
#include "operator/process/log.h"

namespace ballast::app {

api::FeatureGates FindGates(kube::Transport& transport, const api::GateOverrides& overrides) {
  const auto version = kube::ReadServerVersion(transport);
  if (!version.ok()) {
    log::Warn("the server's version cannot be read; it counts as the newest that was tested",
              {{"error", version.error().message}, {"minor", api::kTestedMinor}});
  }
  const api::FeatureGates gates =
      api::Apply(overrides, api::DefaultGates(version.ok() ? version->minor : api::kTestedMinor));
  log::Info("feature gates",
            {{"serverVersion", version.ok() ? version->text : "unknown"},
             {api::kScaleToZeroGate.name, gates.scale_to_zero},
             {api::kConfigurableToleranceGate.name, gates.configurable_tolerance}});
  return gates;
}

}  // namespace ballast::app
