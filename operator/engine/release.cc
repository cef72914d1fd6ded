#include "operator/engine/release.h"

#include <algorithm>
#include <vector>

#include "operator/engine/memory_prune.h"
#include "operator/engine/stabilization.h"

namespace ballast::engine {
namespace {

// Without spec.behavior, a recommendation that is exactly as old as the window still counts.
constexpr Duration kInstant{1};

// The count that an evaluation at `now` would decide if nothing were held.
std::int32_t FreeCountAt(const api::AutoscalerSpec& spec, const Settings& settings,
                         const Bounds& bounds, const Standing& standing, Time now) {
  const auto& recommendations = standing.memory.recommendations;
  if (!spec.behavior) {
    const std::int32_t stabilized = StabilizeScaleDown(recommendations, *standing.recommended, now,
                                                       settings.downscale_stabilization);
    return LimitByDefault(stabilized, DefaultScaleUpLimit(standing.current, standing.quirks),
                          bounds)
        .replicas;
  }
  const std::int32_t stabilized = StabilizeBothWays(
      recommendations, standing.current, *standing.recommended, now, WindowsOf(spec, settings));
  return LimitByBehavior(standing.current, stabilized, bounds, *spec.behavior, standing.memory, now,
                         standing.quirks)
      .replicas;
}

// The count that an evaluation at `now` would decide.
std::int32_t CountAt(const api::AutoscalerSpec& spec, const Settings& settings,
                     const Bounds& bounds, const Standing& standing, Time now) {
  const std::int32_t count = FreeCountAt(spec, settings, bounds, standing, now);
  const auto& pause = standing.pause;
  const bool paused = pause && now < pause->until && pause->Holds(standing.current, count);
  const bool suspect = standing.suspect_until > now && count < standing.current;
  return paused || suspect ? standing.current : count;
}

void AddPeriods(const Boxed<api::ScalingRules>& rules, const Memory& memory,
                std::vector<Time>& moments) {
  if (!rules || !rules->policies) {
    return;
  }
  for (const api::ScalingPolicy& policy : *rules->policies) {
    const Duration period = Duration::Seconds(policy.period_seconds);
    // A rate starts from the replicas at the start of its period, so events of both directions
    // count.
    for (const auto* events : {&memory.scale_ups, &memory.scale_downs}) {
      for (const ScaleEvent& event : *events) {
        moments.push_back(event.time + period);
      }
    }
  }
}

// The moments at which entries of the memory stop counting or what holds ends, soonest first.
std::vector<Time> Moments(const api::AutoscalerSpec& spec, const Settings& settings,
                          const Standing& standing, Time now) {
  const Memory& memory = standing.memory;
  std::vector<Time> moments;
  if (standing.pause) {
    moments.push_back(standing.pause->until);
  }
  if (standing.suspect_until) {
    moments.push_back(*standing.suspect_until);
  }
  for (const Recommendation& recommendation : memory.recommendations) {
    if (!spec.behavior) {
      moments.push_back(recommendation.time + settings.downscale_stabilization + kInstant);
      continue;
    }
    const Windows windows = WindowsOf(spec, settings);
    moments.push_back(recommendation.time + windows.up);
    moments.push_back(recommendation.time + windows.down);
  }
  if (spec.behavior) {
    AddPeriods(spec.behavior->scale_up, memory, moments);
    AddPeriods(spec.behavior->scale_down, memory, moments);
  }
  std::erase_if(moments, [&](Time moment) { return moment <= now; });
  std::ranges::sort(moments);
  return moments;
}

// Moving into the bounds waits for no metric, window or rate, so only for the pause.
std::optional<Release> FindReleaseIntoBounds(const Bounds& bounds, const Standing& standing) {
  const std::int32_t bound = bounds.Nearest(standing.current);
  if (standing.current == 0 || !standing.pause || !standing.pause->Holds(standing.current, bound)) {
    return std::nullopt;
  }
  return Release{standing.pause->until, bound};
}

}  // namespace

std::optional<Release> FindRelease(const api::AutoscalerSpec& spec, const Settings& settings,
                                   const Bounds& bounds, const Standing& standing, Time now) {
  if (standing.fallback) {
    Standing later = standing;
    later.recommended = standing.fallback->replicas;
    const Time moment = standing.fallback->at;
    const std::int32_t count = CountAt(spec, settings, bounds, later, moment);
    return count == standing.current ? std::nullopt : std::optional(Release{moment, count});
  }
  if (!standing.recommended) {
    return FindReleaseIntoBounds(bounds, standing);
  }
  const bool content = standing.recommended == standing.current && !standing.pause;
  if (content || CountAt(spec, settings, bounds, standing, now) != standing.current) {
    return std::nullopt;
  }
  Memory memory = standing.memory;
  KeepLatestOfEachCount(memory.recommendations);
  const Standing later{.memory = memory,
                       .current = standing.current,
                       .recommended = standing.recommended,
                       .quirks = standing.quirks,
                       .pause = standing.pause,
                       .suspect_until = standing.suspect_until};
  for (const Time moment : Moments(spec, settings, later, now)) {
    const std::int32_t count = CountAt(spec, settings, bounds, later, moment);
    if (count != standing.current) {
      return Release{moment, count};
    }
  }
  return std::nullopt;
}

}  // namespace ballast::engine
