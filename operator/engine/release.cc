#include "operator/engine/release.h"

#include <algorithm>
#include <vector>

#include "operator/engine/memory/memory_prune.h"
#include "operator/engine/stabilization.h"

namespace ballast::engine {
namespace {

// Without spec.behavior, a recommendation that is exactly as old as the window still counts.
constexpr Duration kInstant{1};

// What the metrics or spec.fallback ask for at `at`; absent: nothing can be computed.
std::optional<std::int32_t> RecommendedAt(const Standing& standing, Time at) {
  if (!standing.recommended && standing.fallback && at >= standing.fallback->at) {
    return standing.fallback->replicas;
  }
  return standing.recommended;
}

// The count that an evaluation at `at` would decide within these bounds if nothing were held.
std::int32_t FreeCountAt(const Timetable& timetable, const Settings& settings,
                         const ScheduledBounds& scheduled, const Standing& standing,
                         std::int32_t recommended, Time at) {
  const api::AutoscalerSpec& spec = timetable.spec;
  const auto& recommendations = standing.memory.recommendations;
  const Windows windows = WindowsOf(spec, settings);
  const std::int32_t held = scheduled.held;
  const Bounds& bounds = scheduled.bounds;
  if (!spec.behavior) {
    const std::int32_t stabilized =
        std::max(StabilizeScaleDown(recommendations, recommended, at, windows.down), held);
    return LimitByDefault(stabilized, DefaultScaleUpLimit(standing.current, standing.quirks),
                          bounds)
        .replicas;
  }
  const std::int32_t stabilized = std::max(
      StabilizeBothWays(recommendations, standing.current, recommended, at, windows), held);
  return LimitByBehavior(standing.current, stabilized, bounds, *spec.behavior, standing.memory, at,
                         standing.quirks)
      .replicas;
}

// The count that an evaluation at `at` would decide.
std::int32_t CountAt(const Timetable& timetable, const Settings& settings, const Standing& standing,
                     Time at) {
  const std::int32_t current = standing.current;
  const ScheduledBounds scheduled = timetable.At(at, current, standing.memory);
  const Bounds& bounds = scheduled.bounds;
  const bool moves = current != 0 || (standing.may_wake && bounds.min > 0);
  std::int32_t count = moves ? bounds.Nearest(current) : current;
  if (const auto recommended = RecommendedAt(standing, at); count == current && recommended) {
    count = FreeCountAt(timetable, settings, scheduled, standing, *recommended, at);
    // Moving into the bounds waits for no metric, window or rate, so only for a pause.
    count = standing.suspect_until > at ? std::max(count, current) : count;
  }
  const bool paused = std::ranges::any_of(standing.pauses, [&](const api::Pause& pause) {
    return at < pause.until && pause.Holds(current, count);
  });
  return paused ? current : count;
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

// The moments at which entries of the memory stop counting, what holds ends, or a bound moves,
// soonest first.
std::vector<Time> Moments(const Timetable& timetable, const Settings& settings,
                          const Standing& standing, Time now) {
  const Memory& memory = standing.memory;
  const api::AutoscalerSpec& spec = timetable.spec;
  const Windows windows = WindowsOf(spec, settings);
  std::vector<Time> moments = timetable.Moments(now, standing.current);
  for (const api::Pause& pause : standing.pauses) {
    moments.push_back(pause.until);
  }
  if (standing.suspect_until) {
    moments.push_back(*standing.suspect_until);
  }
  if (standing.fallback) {
    moments.push_back(standing.fallback->at);
  }
  for (const Recommendation& recommendation : memory.recommendations) {
    if (!spec.behavior) {
      moments.push_back(recommendation.time + settings.downscale_stabilization + kInstant);
      continue;
    }
    moments.push_back(recommendation.time + windows.up);
    moments.push_back(recommendation.time + windows.down);
  }
  if (spec.behavior) {
    AddPeriods(spec.behavior->scale_up, memory, moments);
    AddPeriods(spec.behavior->scale_down, memory, moments);
  }
  std::erase_if(moments, [&](Time moment) { return moment <= now || moment >= kNoEnd; });
  std::ranges::sort(moments);
  return moments;
}

}  // namespace

std::optional<Release> FindRelease(const Timetable& timetable, const Settings& settings,
                                   const Standing& standing, Time now) {
  const bool content = standing.recommended == standing.current && standing.pauses.empty() &&
                       !timetable.Moves(standing.current);
  if (content || CountAt(timetable, settings, standing, now) != standing.current) {
    return std::nullopt;
  }
  Memory memory = standing.memory;
  KeepLatestOfEachCount(memory.recommendations);
  const Standing later{.memory = memory,
                       .current = standing.current,
                       .recommended = standing.recommended,
                       .quirks = standing.quirks,
                       .pauses = standing.pauses,
                       .fallback = standing.fallback,
                       .suspect_until = standing.suspect_until,
                       .may_wake = standing.may_wake};
  for (const Time moment : Moments(timetable, settings, later, now)) {
    const std::int32_t count = CountAt(timetable, settings, later, moment);
    if (count != standing.current) {
      return Release{moment, count};
    }
  }
  return std::nullopt;
}

}  // namespace ballast::engine
