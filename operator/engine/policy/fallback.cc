#include "operator/engine/policy/fallback.h"

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include "operator/engine/passes.h"
#include "operator/engine/words.h"

namespace ballast::engine {
namespace {

// When a metric last gave a value. The gap of an interruption is not known to be without values.
Time LastValue(const Snapshot& snapshot, const std::optional<Time>& known) {
  const bool lost_track = snapshot.interrupted || snapshot.clock_jumped;
  const Time last = known        ? *known
                    : lost_track ? snapshot.now
                                 : snapshot.last_evaluation.value_or(snapshot.now);
  return std::min(last, snapshot.now);
}

Step Describe(const DecideState& evaluation, Time since, Time from) {
  Step step{.rule = Rule::kFallback, .in = evaluation.current()};
  if (evaluation.movement.fallback.empty()) {
    step.text = "No metric has given a value since " + Print(since) +
                "; spec.fallback counts from " + Print(from) + " on.";
    return step;
  }
  step.out = evaluation.movement.raw;
  step.binding = true;
  step.text = evaluation.movement.fallback + ".";
  return step;
}

}  // namespace

Duration FallbackDelay(const api::Fallback& fallback, const api::AutoscalerSpec& spec,
                       const Settings& settings) {
  if (fallback.after_seconds) {
    return Duration::Seconds(*fallback.after_seconds);
  }
  const Duration period = spec.sync_period_seconds ? Duration::Seconds(*spec.sync_period_seconds)
                                                   : settings.sync_period;
  return std::max(Duration{3 * period.nanoseconds}, Duration::Seconds(api::kFirstSampleSeconds));
}

std::int32_t CountOf(const api::Fallback& fallback, std::int32_t current) {
  const std::string behavior = fallback.behavior.value_or("Static");
  std::int32_t count = fallback.replicas.value_or(current);
  if (behavior == "CurrentReplicas") {
    count = current;
  } else if (behavior == "CurrentReplicasIfHigher") {
    count = std::max(count, current);
  } else if (behavior == "CurrentReplicasIfLower") {
    count = std::min(count, current);
  }
  return fallback.allow_scale_in ? count : std::max(count, current);
}

std::optional<Release> ComingFallback(const Snapshot& snapshot, const Settings& settings,
                                      const Decision& decision, const Memory& memory) {
  const api::AutoscalerSpec& spec = snapshot.autoscaler.spec;
  const bool evaluated = !decision.proposals.empty();
  if (!snapshot.autoscaler.is_policy() || !spec.fallback || !evaluated || decision.recommended ||
      !memory.no_value_since) {
    return std::nullopt;
  }
  return Release{*memory.no_value_since + FallbackDelay(*spec.fallback, spec, settings),
                 CountOf(*spec.fallback, decision.current_replicas)};
}

// Takes the metrics' place once none has given a value for long enough. Bounds, windows and rates
// apply to its count as to theirs, but it is no recommendation: when a metric is back, no window
// knows of it.
void FallBack(DecideState& evaluation) {
  const auto& fallback = evaluation.spec.fallback;
  const Snapshot& snapshot = evaluation.snapshot;
  std::optional<Time>& since = evaluation.decision.memory.no_value_since;
  const bool none = std::ranges::all_of(evaluation.metrics, [](const MetricOutcome& outcome) {
    return std::holds_alternative<MetricFailure>(outcome);
  });
  if (!fallback || !none) {
    since.reset();
    return;
  }
  since = LastValue(snapshot, since);
  const Time from = *since + FallbackDelay(*fallback, evaluation.spec, evaluation.settings);
  Movement& movement = evaluation.movement;
  if (snapshot.now >= from) {
    movement.raw = CountOf(*fallback, evaluation.current());
    movement.fallback = "No metric has given a value since " + Print(*since) +
                        ", so spec.fallback asks for " + Replicas(movement.raw);
    evaluation.decision.recommended = movement.raw;
  }
  evaluation.trace.Add([&] { return Describe(evaluation, *since, from); });
}

// Held says so for as long as it counts, even if it changes nothing; whatever else holds comes
// first.
void ReportFallback(DecideState& evaluation) {
  if (!evaluation.held && !evaluation.movement.fallback.empty()) {
    evaluation.conditions.True(api::kHeld, "Fallback", evaluation.movement.fallback);
    evaluation.held = true;
  }
}

}  // namespace ballast::engine
