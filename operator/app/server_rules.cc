#include "operator/app/server_rules.h"

#include "api/decision/snapshot.h"
#include "operator/kube/server_version.h"
#include "operator/process/log.h"

namespace ballast::app {

ServerRules FindRules(kube::Transport& transport, const api::GateOverrides& overrides) {
  const auto version = kube::ReadServerVersion(transport);
  if (!version.ok()) {
    log::Warn("the server's version cannot be read; it counts as the newest that was tested",
              {{"error", version.error().message}, {"minor", api::kTestedMinor}});
  }
  const int minor = version.ok() ? version->minor : api::kTestedMinor;
  if (minor > engine::kNewestHpaRules) {
    log::Warn("the server is newer than the newest rules for HPAs that are known, which count",
              {{"serverMinor", minor}, {"rulesMinor", engine::kNewestHpaRules}});
  }
  const api::FeatureGates gates = api::Apply(overrides, api::DefaultGates(minor));
  log::Info("feature gates",
            {{"serverVersion", version.ok() ? version->text : "unknown"},
             {api::kScaleToZeroGate.name, gates.scale_to_zero},
             {api::kConfigurableToleranceGate.name, gates.configurable_tolerance}});
  return {gates, minor};
}

}  // namespace ballast::app
