#include "operator/engine/effective.h"

#include <cstdint>
#include <optional>

#include "api/autoscaling/mode.h"

namespace ballast::engine {

Bounds EffectiveBounds(const Snapshot& snapshot) {
  const api::AutoscalerSpec& spec = snapshot.autoscaler.spec;
  return {spec.min_replicas.value_or(1), spec.max_replicas};
}

Settings EffectiveSettings(const Snapshot& snapshot) {
  Settings settings = snapshot.settings;
  if (!snapshot.autoscaler.is_policy()) {
    return settings;
  }
  settings.scale_to_zero = true;
  settings.configurable_tolerance = true;
  if (const auto& readiness = snapshot.autoscaler.spec.readiness) {
    const auto apply = [](const std::optional<std::int32_t>& seconds, Duration& setting) {
      setting = seconds ? Duration::Seconds(*seconds) : setting;
    };
    apply(readiness->cpu_initialization_period_seconds, settings.cpu_initialization_period);
    apply(readiness->initial_readiness_delay_seconds, settings.initial_readiness_delay);
  }
  return settings;
}

const Quirks& QuirksOf(bool policy, const Settings& settings) {
  return policy ? kNoQuirks : settings.kubernetes_minor >= 37 ? kQuirksOf137 : kQuirksOf136;
}

std::optional<api::Pause> EffectivePause(const Snapshot& snapshot) {
  const api::Autoscaler& autoscaler = snapshot.autoscaler;
  return api::ModeOf(autoscaler.spec).writes_scale ? api::PauseOf(autoscaler, snapshot.now)
                                                   : std::nullopt;
}

}  // namespace ballast::engine
