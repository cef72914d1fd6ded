#include "operator/engine/stabilization.h"

#include <algorithm>
#include <string>
#include <utility>

#include "operator/engine/go/arithmetic.h"
#include "operator/engine/passes.h"
#include "operator/engine/scheduled_bounds.h"
#include "operator/engine/words.h"

namespace ballast::engine {
namespace {

// `held_by`: what has kept that many until lately; empty: nothing.
Step Describe(std::int32_t raw, std::int32_t stabilized, const std::string& held_by,
              const Windows& windows) {
  const bool binding = raw != stabilized;
  std::string text = "Recent recommendations do not change it.";
  if (!held_by.empty()) {
    text = "Scaling in to no fewer than " + Replicas(stabilized) + ": " + held_by +
           " ended within the last " + Print(windows.down) + ".";
  } else if (binding && raw < stabilized) {
    text = "A recommendation within the last " + Print(windows.down) + " was for " +
           Replicas(stabilized) + " or more: scaling in to no fewer.";
  } else if (binding) {
    text = "A recommendation within the last " + Print(windows.up) + " was for " +
           Replicas(stabilized) + " or fewer: scaling out to no more.";
  }
  return {.rule = Rule::kStabilization,
          .in = raw,
          .out = stabilized,
          .binding = binding,
          .kept = !held_by.empty(),
          .text = std::move(text)};
}

// The count that recommendations remember: what the metrics asked for, also those whose sample has
// justified its scale-up. Without spec.behavior a recommendation can scale out by itself, so they
// are remembered for no more than is recommended already: the same sample asks for more and more
// where its metric is relative to the present count.
std::int32_t Remembered(const Movement& movement, bool with_behavior) {
  return std::max(movement.raw,
                  with_behavior ? movement.asked : std::min(movement.asked, movement.stabilized));
}

}  // namespace

Windows WindowsOf(const api::AutoscalerSpec& spec, const Settings& settings) {
  if (!spec.behavior) {
    return {{}, settings.downscale_stabilization};
  }
  const auto window = [](const Boxed<api::ScalingRules>& rules, std::int32_t otherwise) {
    return Duration::Seconds(rules ? rules->stabilization_window_seconds.value_or(otherwise)
                                   : otherwise);
  };
  return {
      window(spec.behavior->scale_up, 0),
      window(spec.behavior->scale_down, go::ToInt32(settings.downscale_stabilization.seconds()))};
}

std::int32_t StabilizeScaleDown(const std::vector<Recommendation>& recommendations,
                                std::int32_t raw, Time now, Duration window) {
  const Time cutoff = now - window;
  std::int32_t highest = raw;
  for (const Recommendation& recommendation : recommendations) {
    if (recommendation.time >= cutoff) {
      highest = std::max(highest, recommendation.replicas);
    }
  }
  return highest;
}

std::int32_t StabilizeBothWays(const std::vector<Recommendation>& recommendations,
                               std::int32_t current, std::int32_t raw, Time now,
                               const Windows& windows) {
  const Time up_cutoff = now - windows.up;
  const Time down_cutoff = now - windows.down;
  std::int32_t lowest = raw;
  std::int32_t highest = raw;
  for (const Recommendation& recommendation : recommendations) {
    if (recommendation.time > up_cutoff) {
      lowest = std::min(lowest, recommendation.replicas);
    }
    if (recommendation.time > down_cutoff) {
      highest = std::max(highest, recommendation.replicas);
    }
  }
  return std::min(std::max(current, lowest), highest);
}

void Record(std::vector<Recommendation>& recommendations, std::int32_t raw, Time now,
            Duration window) {
  const Time cutoff = now - window;
  Recommendation* outdated = nullptr;
  for (Recommendation& recommendation : recommendations) {
    if (recommendation.time < cutoff) {
      outdated = &recommendation;
    }
  }
  if (outdated != nullptr) {
    *outdated = {now, raw};
  } else {
    recommendations.push_back({now, raw});
  }
}

void Stabilize(DecideState& evaluation) {
  const auto& behavior = evaluation.spec.behavior;
  const Time now = evaluation.snapshot.now;
  const std::int32_t current = evaluation.current();
  const std::int32_t raw = evaluation.movement.raw;
  auto& recommendations = evaluation.decision.memory.recommendations;
  std::int32_t& stabilized = evaluation.movement.stabilized;
  const Windows windows = WindowsOf(evaluation.spec, evaluation.settings);
  stabilized = behavior ? StabilizeBothWays(recommendations, current, raw, now, windows)
                        : StabilizeScaleDown(recommendations, raw, now, windows.down);
  std::string held_by;
  if (evaluation.scheduled.held > stabilized) {
    stabilized = evaluation.scheduled.held;
    held_by = WhoHeld(evaluation.scheduled, evaluation.snapshot.autoscaler);
  }
  if (evaluation.movement.fallback.empty()) {
    Record(recommendations, Remembered(evaluation.movement, behavior.has_value()), now,
           windows.Longest());
  }
  evaluation.trace.Add([&] { return Describe(raw, stabilized, held_by, windows); });

  if (stabilized == raw) {
    evaluation.conditions.True(api::kAbleToScale, api::kReadyForNewScale,
                               "recommended size matches current size");
  } else if (!held_by.empty()) {
    evaluation.conditions.True(api::kAbleToScale, "ScaleDownStabilized",
                               held_by + " ended less than " + Print(windows.down) +
                                   " ago, so it is scaled in to no fewer than " +
                                   Replicas(stabilized));
  } else if (behavior && raw >= current) {
    evaluation.conditions.True(api::kAbleToScale, "ScaleUpStabilized",
                               "recent recommendations were lower than current one, applying the "
                               "lowest recent recommendation");
  } else {
    evaluation.conditions.True(api::kAbleToScale, "ScaleDownStabilized",
                               "recent recommendations were higher than current one, applying the "
                               "highest recent recommendation");
  }
}

}  // namespace ballast::engine
