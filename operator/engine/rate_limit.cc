#include "operator/engine/rate_limit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "api/autoscaling/condition_types.h"
#include "operator/engine/go/arithmetic.h"
#include "operator/engine/numbers.h"
#include "operator/engine/passes.h"

namespace ballast::engine {
namespace {

constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();

constexpr Limited WithinRange(std::int32_t replicas) {
  return {replicas, api::kDesiredWithinRange, "the desired count is within the acceptable range"};
}
constexpr Limited TooFew(std::int32_t replicas) {
  return {replicas, api::kTooFewReplicas,
          "the desired replica count is less than the minimum replica count", LimitKind::kMinimum};
}
constexpr Limited TooMany(std::int32_t replicas) {
  return {replicas, api::kTooManyReplicas,
          "the desired replica count is more than the maximum replica count", LimitKind::kMaximum};
}
constexpr Limited TooFastUp(std::int32_t replicas) {
  return {replicas, api::kScaleUpLimit,
          "the desired replica count is increasing faster than the maximum scale rate",
          LimitKind::kScaleUpRate};
}
constexpr Limited TooFastDown(std::int32_t replicas) {
  return {replicas, "ScaleDownLimit",
          "the desired replica count is decreasing faster than the maximum scale rate",
          LimitKind::kScaleDownRate};
}

// The lower of `limit` and the maximum, with its reason; the maximum's if both are equal.
Limited UpperLimit(std::int32_t limit, const Bounds& bounds) {
  return bounds.max > limit ? TooFastUp(limit) : TooMany(bounds.max);
}

std::int32_t ChangeSince(const std::vector<ScaleEvent>& events, Time cutoff, Numbers numbers) {
  std::int32_t sum = 0;
  for (const ScaleEvent& event : events) {
    if (event.time > cutoff) {
      sum = numbers.Add(sum, event.change);
    }
  }
  return sum;
}

// The number of replicas at the beginning of the policy's period, according to the scale events.
std::int32_t ReplicasAtStart(std::int32_t current, const api::ScalingPolicy& policy,
                             const Memory& memory, Time now, const Quirks& quirks) {
  const Numbers numbers(quirks);
  const Time cutoff = now - Duration::Seconds(policy.period_seconds);
  return numbers.Add(numbers.Subtract(current, ChangeSince(memory.scale_ups, cutoff, numbers)),
                     ChangeSince(memory.scale_downs, cutoff, numbers));
}

enum class Direction { kUp, kDown };

// The furthest count that `policy` allows in a period that began with `base` replicas. For a policy
// of an unknown type it is that of the policy before it, `previous`.
std::int32_t EndOf(const api::ScalingPolicy& policy, Direction direction, std::int32_t base,
                   std::int32_t previous, const Quirks& quirks) {
  const Numbers numbers(quirks);
  const bool up = direction == Direction::kUp;
  if (policy.type == "Pods") {
    return up ? numbers.Add(base, policy.value) : numbers.Subtract(base, policy.value);
  }
  if (policy.type == "Percent") {
    const double fraction = static_cast<double>(policy.value) / 100;
    if (!up) {
      return numbers.ToInt32(static_cast<double>(base) * (1 - fraction));
    }
    // Rounded up, or a small count would never grow; no count is smaller than none.
    const std::int32_t end = numbers.ToInt32(std::ceil(static_cast<double>(base) * (1 + fraction)));
    return base <= 0 && !quirks.percent_of_none_is_none ? std::max(end, 1) : end;
  }
  return previous;
}

const std::vector<api::ScalingPolicy>& PoliciesOf(const Boxed<api::ScalingRules>& rules) {
  static const std::vector<api::ScalingPolicy> kNone;
  return rules && rules->policies ? *rules->policies : kNone;
}

// The furthest count that the rules of `direction` allow. selectPolicy Min chooses the policy with
// the smallest change.
std::int32_t RateLimit(const Boxed<api::ScalingRules>& rules, Direction direction,
                       std::int32_t current, const Memory& memory, Time now, const Quirks& quirks) {
  const std::string select = rules ? rules->select_policy.value_or("Max") : "Max";
  if (select == "Disabled") {
    return current;
  }
  const bool lowest = (select == "Min") == (direction == Direction::kUp);
  std::int32_t limit = lowest ? kMax : kMin;
  std::int32_t proposed = 0;
  for (const api::ScalingPolicy& policy : PoliciesOf(rules)) {
    proposed = EndOf(policy, direction, ReplicasAtStart(current, policy, memory, now, quirks),
                     proposed, quirks);
    limit = lowest ? std::min(limit, proposed) : std::max(limit, proposed);
  }
  return limit;
}

Step Describe(std::int32_t stabilized, const Limited& limited, const std::string& message) {
  return {.rule = Rule::kLimits,
          .in = stabilized,
          .out = limited.replicas,
          .binding = stabilized != limited.replicas,
          .limit = limited.limit,
          .text = std::string(limited.reason) + ": " + message + "."};
}

// What the condition says, with the schedule whose bound it is.
std::string MessageOf(const DecideState& evaluation, const Limited& limited) {
  std::string message(limited.message);
  if (limited.limit == LimitKind::kMaximum || limited.limit == LimitKind::kMinimum) {
    const std::string schedule = evaluation.BlameSchedule(limited.limit == LimitKind::kMaximum);
    message += (schedule.empty() ? "" : ": ") + schedule;
  }
  return message;
}

}  // namespace

// Twice the count, but at least 4. From 2^30 replicas on that does not fit into int32.
std::int32_t DefaultScaleUpLimit(std::int32_t current, const Quirks& quirks) {
  return Numbers(quirks).ToInt32(std::max(2.0 * static_cast<double>(current), 4.0));
}

Limited LimitByDefault(std::int32_t desired, std::int32_t scale_up_limit, const Bounds& bounds) {
  if (desired < bounds.min) {
    return TooFew(bounds.min);
  }
  const Limited upper = UpperLimit(scale_up_limit, bounds);
  return desired > upper.replicas ? upper : WithinRange(desired);
}

Limited LimitByBehavior(std::int32_t current, std::int32_t desired, const Bounds& bounds,
                        const api::Behavior& behavior, const Memory& memory, Time now,
                        const Quirks& quirks) {
  if (desired > current) {
    const std::int32_t rate =
        RateLimit(behavior.scale_up, Direction::kUp, current, memory, now, quirks);
    const Limited upper = UpperLimit(std::max(rate, current), bounds);
    return desired > upper.replicas ? upper : WithinRange(desired);
  }
  if (desired < current) {
    const std::int32_t rate =
        RateLimit(behavior.scale_down, Direction::kDown, current, memory, now, quirks);
    const std::int32_t limit = std::min(rate, current);
    const Limited lower = bounds.min < limit ? TooFastDown(limit) : TooFew(bounds.min);
    return desired < lower.replicas ? lower : WithinRange(desired);
  }
  return WithinRange(desired);
}

void Limit(DecideState& evaluation) {
  const auto& behavior = evaluation.spec.behavior;
  const Bounds& bounds = evaluation.decision.bounds;
  const std::int32_t current = evaluation.current();
  const std::int32_t stabilized = evaluation.movement.stabilized;
  const Limited limited =
      behavior
          ? LimitByBehavior(current, stabilized, bounds, *behavior, evaluation.decision.memory,
                            evaluation.snapshot.now, evaluation.quirks)
          : LimitByDefault(stabilized, DefaultScaleUpLimit(current, evaluation.quirks), bounds);
  const std::string message = MessageOf(evaluation, limited);
  evaluation.trace.Add([&] { return Describe(stabilized, limited, message); });
  if (limited.replicas == stabilized) {
    evaluation.conditions.False(api::kScalingLimited, limited.reason, message);
  } else {
    evaluation.conditions.True(api::kScalingLimited, limited.reason, message);
  }
  evaluation.movement.limited = limited;
  evaluation.movement.desired = limited.replicas;
}

Duration LongestPeriod(const Boxed<api::ScalingRules>& rules) {
  std::int32_t longest = 0;
  for (const api::ScalingPolicy& policy : PoliciesOf(rules)) {
    longest = std::max(longest, policy.period_seconds);
  }
  return Duration::Seconds(longest);
}

void RecordScaleEvent(Memory& memory, const std::optional<api::Behavior>& behavior,
                      std::int32_t from, std::int32_t to, Time now) {
  if (!behavior) {
    return;
  }
  const bool up = to > from;
  const Time cutoff = now - LongestPeriod(up ? behavior->scale_up : behavior->scale_down);
  std::vector<ScaleEvent>& events = up ? memory.scale_ups : memory.scale_downs;
  const ScaleEvent event{now, up ? go::Subtract(to, from) : go::Subtract(from, to)};
  const auto outdated = std::find_if(events.rbegin(), events.rend(),
                                     [&](const ScaleEvent& old) { return old.time < cutoff; });
  if (outdated != events.rend()) {
    *outdated = event;
  } else {
    events.push_back(event);
  }
}

}  // namespace ballast::engine
