#include "operator/explain/counterfactuals.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "api/autoscaling/pause_annotation.h"
#include "operator/engine/engine.h"
#include "operator/engine/rate_limit.h"
#include "operator/explain/metric_words.h"
#include "operator/explain/recorded_decision.h"

namespace ballast::explain {
namespace {

using engine::Decision;
using engine::Snapshot;

// More than any workload has, and small enough that sums do not overflow.
constexpr std::int32_t kMany = 1'000'000;

Decision Ask(const Snapshot& snapshot) { return engine::Decide(snapshot, engine::Tracing::kOff); }

// Bisection: the smallest number in (low, high] for which `holds`, which must hold for `high` and
// be monotonic.
std::int64_t FirstWhere(std::int64_t low, std::int64_t high,
                        const std::function<bool(std::int64_t)>& holds) {
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

// ---- Settings

struct Variation {
  AlteredInput change;
  std::string what;  // the first "{}" stands for the resulting count
  std::function<void(Snapshot&)> apply;
};

api::ScalingRules& RulesOf(Boxed<api::ScalingRules>& rules) {
  return rules ? *rules : rules.emplace();
}

void LiftRate(Boxed<api::ScalingRules>& rules) {
  RulesOf(rules).select_policy = "Max";
  RulesOf(rules).policies = {{"Pods", kMany, 1}};
}

void DropTolerance(Snapshot& snapshot) {
  snapshot.settings.tolerance = 0;
  if (auto& behavior = snapshot.autoscaler.spec.behavior) {
    for (auto* rules : {&behavior->scale_up, &behavior->scale_down}) {
      if (*rules) {
        (*rules)->tolerance.reset();
      }
    }
  }
}

// One for each schedule that has a window, and each override.
void AddSchedules(const Snapshot& snapshot, std::vector<Variation>& variations) {
  for (const engine::ScheduleWindow& override : snapshot.overrides) {
    variations.push_back({AlteredInput::kNoOverride, "without the override " + override.name,
                          [name = override.name](Snapshot& s) {
                            std::erase_if(s.overrides,
                                          [&](const auto& window) { return window.name == name; });
                          }});
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; snapshot.schedules && i < snapshot.schedules->windows.size(); ++i) {
    const std::string& name = snapshot.schedules->windows[i].name;
    if (std::ranges::count(names, name) == 0) {
      names.push_back(name);
      variations.push_back(
          {AlteredInput::kNoSchedule, "without the schedule " + name, [name](Snapshot& s) {
             std::erase_if(s.schedules->windows,
                           [&](const auto& window) { return window.name == name; });
           }});
    }
  }
}

std::vector<Variation> Variations(const Snapshot& snapshot) {
  std::vector<Variation> variations = {
      {AlteredInput::kMaxReplicas, "with maxReplicas of {} or more",
       [](Snapshot& s) { s.autoscaler.spec.max_replicas = kMany; }},
      {AlteredInput::kNoTolerance, "without the tolerance", DropTolerance},
      {AlteredInput::kNewerSample, "with a newer sample of the metric",
       [](Snapshot& s) {
         if (s.memory) {
           s.memory->used_samples.clear();
         }
       }},
      {AlteredInput::kNoPause, "without the pause",
       [](Snapshot& s) { s.autoscaler.metadata.annotations.erase(api::kPausedUntil); }},
      {AlteredInput::kTrust, "with trust in the suspect source",
       [](Snapshot& s) { s.suspect_source.reset(); }},
      {AlteredInput::kNoInterruption, "without the interruption before it",
       [](Snapshot& s) {
         s.last_evaluation = s.now;
         s.clock_jumped = s.interrupted = s.silence_ended = false;
       }},
  };
  AddSchedules(snapshot, variations);
  if (snapshot.autoscaler.spec.min_replicas > 1) {
    variations.push_back({AlteredInput::kMinReplicas, "with minReplicas of {} or less",
                          [](Snapshot& s) { s.autoscaler.spec.min_replicas = 1; }});
  }
  if (!snapshot.autoscaler.spec.behavior) {
    variations.push_back({AlteredInput::kNoScaleDownWindow, "without the scale-down window",
                          [](Snapshot& s) { s.settings.downscale_stabilization = {}; }});
    return variations;
  }
  variations.insert(
      variations.end(),
      {{AlteredInput::kNoScaleDownWindow, "without the scale-down window",
        [](Snapshot& s) {
          RulesOf(s.autoscaler.spec.behavior->scale_down).stabilization_window_seconds = 0;
        }},
       {AlteredInput::kNoScaleUpWindow, "without the scale-up window",
        [](Snapshot& s) {
          RulesOf(s.autoscaler.spec.behavior->scale_up).stabilization_window_seconds = 0;
        }},
       {AlteredInput::kNoScaleUpRate, "without a limit on the scale-up rate",
        [](Snapshot& s) { LiftRate(s.autoscaler.spec.behavior->scale_up); }},
       {AlteredInput::kNoScaleDownRate, "without a limit on the scale-down rate",
        [](Snapshot& s) { LiftRate(s.autoscaler.spec.behavior->scale_down); }}});
  return variations;
}

void Fill(std::string& what, std::int32_t replicas) {
  if (const auto at = what.find("{}"); at != std::string::npos) {
    what.replace(at, 2, std::to_string(replicas));
  }
}

// ---- Load

// The unit in which loads vary: the measured load is kSteps of them.
constexpr std::int64_t kSteps = 10'000'000;
constexpr std::int64_t kMostSteps = kSteps * 1'000;

Quantity Times(const Quantity& quantity, double factor) {
  const double milli = std::round(static_cast<double>(quantity.MilliValue()) * factor);
  const double bound = 9e18;
  return Quantity::FromMilli(static_cast<std::int64_t>(std::clamp(milli, -bound, bound)),
                             quantity.format());
}

void Multiply(engine::MetricAnswer& answer, double factor) {
  if (auto* pods = std::get_if<engine::PodMetricsList>(&answer)) {
    for (auto& shared : *pods) {
      auto pod = std::make_shared<api::PodMetrics>(*shared);
      for (api::ContainerMetrics& container : pod->containers) {
        for (auto& [resource, usage] : container.usage) {
          usage = Times(usage, factor);
        }
      }
      shared = std::move(pod);
    }
  } else if (auto* values = std::get_if<engine::MetricValueList>(&answer)) {
    for (api::MetricValue& value : *values) {
      value.value = Times(value.value, factor);
    }
  }
}

// Makes the answers for these metrics those of `measured`, multiplied by `steps` / kSteps.
void SetLoad(Snapshot& snapshot, const Snapshot& measured, const std::vector<std::size_t>& metrics,
             std::int64_t steps) {
  for (const std::size_t i : metrics) {
    snapshot.metrics[i] = measured.metrics[i];
    Multiply(snapshot.metrics[i], static_cast<double>(steps) / static_cast<double>(kSteps));
  }
}

// In the target's unit; empty if there is no value.
std::string ValueOf(const Decision& decision, std::size_t metric) {
  const auto& metrics = decision.status.current_metrics;
  return metric < metrics.size() ? Figure(metrics[metric].current) : "";
}

enum class LoadDirection { kMore, kLess };

// The smallest change of these metrics' load that leads to another count; for a decision that
// changes the count, the smallest that leads to no change in that direction.
std::optional<Alternative> FindLoad(const Snapshot& snapshot, const Decision& decision,
                                    const std::vector<std::size_t>& metrics,
                                    LoadDirection direction) {
  const bool more = direction == LoadDirection::kMore;
  const std::int32_t wish = Wish(decision);
  const std::int32_t current = decision.current_replicas;
  Snapshot changed = snapshot;
  // Asks at a distance, in steps, from the measured load.
  const auto ask = [&](std::int64_t distance) {
    SetLoad(changed, snapshot, metrics, more ? kSteps + distance : kSteps - distance);
    return Ask(changed);
  };
  const auto differs = [&](std::int64_t distance) {
    const std::int32_t other = Wish(ask(distance));
    if (wish == current) {
      return more ? other > current : other < current;
    }
    return more ? other >= current : other <= current;
  };
  const std::int64_t furthest = more ? kMostSteps : kSteps;
  if (!differs(furthest)) {
    return std::nullopt;
  }
  const std::int64_t distance = FirstWhere(0, furthest, differs);
  const Decision other = ask(distance);
  const char* end = more ? " or more" : " or less";
  if (metrics.size() > 1) {
    const auto percent = (more ? kSteps + distance : kSteps - distance) * 100 / kSteps;
    return Alternative{
        AlteredInput::kLoad,
        "with all metrics at " + std::to_string(percent) + "% of what they were" + end,
        Wish(other)};
  }
  const std::size_t i = metrics.front();
  return Alternative{AlteredInput::kLoad,
                     "with " + NameOf(snapshot.autoscaler.spec.metrics[i]) + " at " +
                         ValueOf(other, i) + end + " (it was " + ValueOf(decision, i) + ")",
                     Wish(other)};
}

void AddLoads(const Snapshot& snapshot, const Decision& decision, LoadDirection direction,
              std::vector<Alternative>& found) {
  const std::size_t count =
      std::min(snapshot.metrics.size(), snapshot.autoscaler.spec.metrics.size());
  std::vector<std::size_t> all;
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(i);
    if (auto load = FindLoad(snapshot, decision, {i}, direction)) {
      found.push_back(std::move(*load));
      any = true;
    }
  }
  if (any || count < 2) {
    return;
  }
  // The highest proposal wins, so a lower count may take a change of all metrics.
  if (auto load = FindLoad(snapshot, decision, all, direction)) {
    found.push_back(std::move(*load));
  }
}

}  // namespace

std::vector<Alternative> FindAlternatives(const Snapshot& snapshot, const Decision& decision) {
  const std::int32_t wish = Wish(decision);
  std::vector<Alternative> found;
  for (Variation& variation : Variations(snapshot)) {
    Snapshot changed = snapshot;
    variation.apply(changed);
    const std::int32_t other = Wish(Ask(changed));
    if (other != wish) {
      Fill(variation.what, other);
      found.push_back({variation.change, std::move(variation.what), other});
    }
  }
  if (wish <= decision.current_replicas) {
    AddLoads(snapshot, decision, LoadDirection::kMore, found);
  }
  if (wish >= decision.current_replicas) {
    AddLoads(snapshot, decision, LoadDirection::kLess, found);
  }
  return found;
}

}  // namespace ballast::explain
