#include "operator/engine/stabilization.h"

#include <algorithm>

#include "operator/engine/go/arithmetic.h"

namespace ballast::engine {
namespace {

// Puts {raw, now} into the slot `outdated` points to, or appends it.
void Record(std::vector<Recommendation>& recommendations, Recommendation* outdated,
            const Recommendation& recommendation) {
  if (outdated != nullptr) {
    *outdated = recommendation;
  } else {
    recommendations.push_back(recommendation);
  }
}

}  // namespace

std::int32_t StabilizeScaleDown(std::vector<Recommendation>& recommendations, std::int32_t raw,
                                Time now, Duration window) {
  const Time cutoff = now - window;
  std::int32_t highest = raw;
  Recommendation* outdated = nullptr;
  for (Recommendation& recommendation : recommendations) {
    if (recommendation.time < cutoff) {
      outdated = &recommendation;
    } else {
      highest = std::max(highest, recommendation.replicas);
    }
  }
  Record(recommendations, outdated, {now, raw});
  return highest;
}

Windows WindowsOf(const api::Behavior& behavior, const Settings& settings) {
  const auto window = [](const std::optional<api::ScalingRules>& rules, std::int32_t otherwise) {
    return Duration::Seconds(rules ? rules->stabilization_window_seconds.value_or(otherwise)
                                   : otherwise);
  };
  return {window(behavior.scale_up, 0),
          window(behavior.scale_down, go::ToInt32(settings.downscale_stabilization.seconds()))};
}

std::int32_t StabilizeBothWays(std::vector<Recommendation>& recommendations, std::int32_t current,
                               std::int32_t raw, Time now, const Windows& windows) {
  const Time up_cutoff = now - windows.up;
  const Time down_cutoff = now - windows.down;
  std::int32_t lowest = raw;
  std::int32_t highest = raw;
  Recommendation* outdated = nullptr;
  for (Recommendation& recommendation : recommendations) {
    if (recommendation.time > up_cutoff) {
      lowest = std::min(lowest, recommendation.replicas);
    }
    if (recommendation.time > down_cutoff) {
      highest = std::max(highest, recommendation.replicas);
    }
    if (recommendation.time < up_cutoff && recommendation.time < down_cutoff) {
      outdated = &recommendation;
    }
  }
  Record(recommendations, outdated, {now, raw});
  return std::min(std::max(current, lowest), highest);
}

}  // namespace ballast::engine
