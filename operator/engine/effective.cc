#include "operator/engine/effective.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "api/autoscaling/mode.h"
#include "operator/engine/timetable.h"

namespace ballast::engine {
namespace {

api::Pause PauseOf(const ScheduleWindow& window) {
  api::Pause pause{.until = window.end.value_or(kNoEnd),
                   .in = HoldsScaleIn(window),
                   .out = HoldsScaleOut(window),
                   .by = NameOf(window),
                   .reason = window.origin ? window.origin->reason : "",
                   .by_schedule = !window.origin};
  pause.open_end = OpenEndOf(window);
  return pause;
}

}  // namespace

Bounds EffectiveBounds(const Snapshot& snapshot) { return ScheduledBoundsOf(snapshot).bounds; }

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

std::vector<api::Pause> EffectivePauses(const Snapshot& snapshot) {
  const api::Autoscaler& autoscaler = snapshot.autoscaler;
  std::vector<api::Pause> pauses;
  const api::ServingMode& mode = api::ModeOf(autoscaler.spec);
  if (auto pause = api::PauseOf(autoscaler, snapshot.now); pause && mode.writes_scale) {
    pauses.push_back(std::move(*pause));
  }
  const auto add = [&](const std::vector<ScheduleWindow>& windows) {
    for (const ScheduleWindow& window : windows) {
      if (!window.hold.empty() && window.Contains(snapshot.now)) {
        pauses.push_back(PauseOf(window));
      }
    }
  };
  if (autoscaler.is_policy() && mode.evaluates && snapshot.schedules) {
    add(snapshot.schedules->windows);
  }
  if (mode.evaluates) {
    add(snapshot.overrides);
  }
  return pauses;
}

}  // namespace ballast::engine
