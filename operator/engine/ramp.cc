#include "operator/engine/ramp.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace ballast::engine {
namespace {

std::int64_t Millis(Duration span) { return span.nanoseconds / 1'000'000; }

// A line in whole replicas.
struct Stairs {
  std::int64_t span;      // milliseconds
  std::int64_t distance;  // replicas
  std::int64_t height;    // of a step, in replicas: it takes kRampStep or longer
};

Stairs StairsOf(const RampLine& line, std::int32_t current, std::int32_t goal) {
  const std::int64_t span = std::max<std::int64_t>(Millis(line.end - line.begin), 1);
  const std::int64_t distance = std::max<std::int64_t>(std::abs(std::int64_t{goal} - current), 1);
  return {span, distance, (Millis(kRampStep) * distance + span - 1) / span};
}

// What counts without spec.behavior, as its documentation says.
const std::vector<api::ScalingPolicy>& DefaultRates() {
  static const std::vector<api::ScalingPolicy> kRates = {{"Pods", 4, 15}, {"Percent", 100, 15}};
  return kRates;
}

struct UpRates {
  const std::vector<api::ScalingPolicy>& policies;
  bool slowest = false;  // selectPolicy Min
};

// Without policies where scaling up is switched off: then a floor rises at once.
UpRates UpRatesOf(const api::AutoscalerSpec& spec) {
  static const std::vector<api::ScalingPolicy> kNone;
  if (!spec.behavior || !spec.behavior->scale_up) {
    return {DefaultRates()};
  }
  const api::ScalingRules& rules = *spec.behavior->scale_up;
  const bool disabled = rules.select_policy == "Disabled";
  return {disabled || !rules.policies ? kNone : *rules.policies, rules.select_policy == "Min"};
}

// The smallest count from which one period of the policy leads to `goal`. A percentage of none is
// one.
std::int32_t Before(const api::ScalingPolicy& policy, std::int32_t goal) {
  if (goal <= 1) {
    return 0;
  }
  const std::int64_t before =
      policy.type == "Percent"
          ? (std::int64_t{goal} - 1) * 100 / (std::int64_t{100} + std::max(policy.value, 0)) + 1
          : std::int64_t{goal} - policy.value;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(before, 0, goal));
}

struct BackStep {
  std::int32_t count = 0;
  std::int32_t seconds = 0;
  bool steady = false;  // all steps further back are like it
};

// The step back from `goal` by the policy that counts. Without progress if there is none.
BackStep StepBack(const UpRates& rates, std::int32_t goal) {
  std::optional<BackStep> best;
  for (const api::ScalingPolicy& policy : rates.policies) {
    // The fewer there are, the fewer a percentage is, so that pods stay the faster way.
    const BackStep step{Before(policy, goal), std::max(policy.period_seconds, 1),
                        policy.type == "Pods" && !rates.slowest};
    const auto speed = [&](const BackStep& of) { return std::int64_t{goal} - of.count; };
    const bool faster =
        best && speed(step) * best->seconds > speed(*best) * std::int64_t{step.seconds};
    if (!best || faster != rates.slowest) {
      best = step;
    }
  }
  return best.value_or(BackStep{goal, 0});
}

}  // namespace

std::int32_t RampLine::At(Time at, std::int32_t current, std::int32_t goal) const {
  const Stairs stairs = StairsOf(*this, current, goal);
  const std::int64_t passed = std::clamp<std::int64_t>(Millis(at - begin), 0, stairs.span);
  const std::int64_t steps = stairs.distance * passed / stairs.span;
  const std::int64_t rest = stairs.distance - (steps - steps % stairs.height);
  return static_cast<std::int32_t>(goal > current ? goal - rest : goal + rest);
}

Time RampLine::NextStep(Time at, std::int32_t current, std::int32_t goal) const {
  const auto [span, distance, height] = StairsOf(*this, current, goal);
  const Time next = begin + Duration::Milliseconds((span * height + distance - 1) / distance);
  return std::min(next > at ? next : at + kRampStep, end);
}

std::int32_t CountBefore(const api::AutoscalerSpec& spec, std::int32_t goal, Duration left) {
  if (left > kLongestRamp) {
    return 0;
  }
  const UpRates rates = UpRatesOf(spec);
  std::int32_t count = goal;
  for (Duration back; back < left;) {
    const BackStep step = StepBack(rates, count);
    if (step.count >= count) {
      return rates.policies.empty() ? 0 : count;
    }
    const Duration period = Duration::Seconds(step.seconds);
    if (step.steady) {
      const std::int64_t steps =
          (left.nanoseconds - back.nanoseconds + period.nanoseconds - 1) / period.nanoseconds;
      const std::int64_t size = std::int64_t{count} - step.count;
      return static_cast<std::int32_t>(std::max<std::int64_t>(count - steps * size, 0));
    }
    count = step.count;
    back = Duration{back.nanoseconds + period.nanoseconds};
  }
  return count;
}

Duration RampTime(const api::AutoscalerSpec& spec, std::int32_t goal, std::int32_t least) {
  const UpRates rates = UpRatesOf(spec);
  Duration back;
  for (std::int32_t count = goal; back < kLongestRamp;) {
    const BackStep step = StepBack(rates, count);
    if (step.count >= count || step.count <= least) {
      break;
    }
    const Duration period = Duration::Seconds(step.seconds);
    if (step.steady) {
      const std::int64_t steps =
          (std::int64_t{count} - 1 - least) / (std::int64_t{count} - step.count);
      back =
          Duration{back.nanoseconds + std::min(steps, std::int64_t{86'400}) * period.nanoseconds};
      break;
    }
    count = step.count;
    back = Duration{back.nanoseconds + period.nanoseconds};
  }
  return std::min(back, kLongestRamp);
}

}  // namespace ballast::engine
