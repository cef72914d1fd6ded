#include "operator/engine/rules.h"

#include <algorithm>
#include <cmath>

#include "operator/engine/go/arithmetic.h"
#include "operator/engine/policy/policy_rules.h"

namespace ballast::engine {

bool Rules::Paused(const Snapshot&) const { return false; }

Settings Rules::SettingsFor(const Snapshot& snapshot) const { return snapshot.settings; }

Memory Rules::Recall(const Snapshot& snapshot, std::int32_t) const {
  return snapshot.memory.value_or(Memory());
}

std::optional<std::string> Rules::Distrust(const Snapshot&, const MetricAnswer&) const {
  return std::nullopt;
}

std::int32_t Rules::ProposeWithoutReadyPods(double ratio, std::int32_t) const {
  return go::ToInt32(std::ceil(ratio * 0.0));  // infinitely many times none is not a number
}

std::int64_t Rules::UsagePerPodWithoutPods(std::int64_t usage) const {
  return go::ToInt64(std::ceil(static_cast<double>(usage) / 0.0));
}

std::int32_t Rules::Admit(const Context&, std::size_t, std::int32_t replicas, Trace&) const {
  return replicas;
}

// Twice as many or 4; beyond 2^30 the minimum of int32.
std::int32_t Rules::DefaultScaleUpLimit(std::int32_t current) const {
  return go::ToInt32(std::max(2.0 * static_cast<double>(current), 4.0));
}

std::string Rules::RescaleReason(const Movement& movement) const {
  if (movement.raw > movement.current) {
    return std::string(movement.metric) + " above target";
  }
  return movement.raw < movement.current ? "All metrics below target" : "";
}

void Rules::UseSamples(const Snapshot&, const Decision&, Memory&) const {}

void Rules::Finish(const Snapshot&, Decision&, Trace&) const {}

void Rules::Finish(const Snapshot&, const Decision&, const Outcome&, Conclusion&) const {}

const Rules& RulesFor(const api::Autoscaler& autoscaler) {
  static const Rules kUpstream;
  static const PolicyRules kPolicy;
  return autoscaler.is_policy() ? kPolicy : kUpstream;
}

}  // namespace ballast::engine
