#include "operator/engine/policy_memory.h"

#include <algorithm>

#include "operator/engine/conditions.h"
#include "operator/engine/policy_samples.h"

namespace ballast::engine {
namespace {

constexpr std::int32_t kDefaultSyncPeriodSeconds = 15;

template <typename Entry>
void Clamp(std::vector<Entry>& entries, Time Entry::*time, Time now) {
  for (Entry& entry : entries) {
    entry.*time = std::min(entry.*time, now);
  }
}

bool LostTrackOfTime(const Snapshot& snapshot) {
  if (snapshot.clock_jumped) {
    return true;
  }
  if (!snapshot.last_evaluation) {
    return false;
  }
  const auto period = Duration::Seconds(
      snapshot.autoscaler.spec.sync_period_seconds.value_or(kDefaultSyncPeriodSeconds));
  const Time last = *snapshot.last_evaluation;
  return last > snapshot.now || last + period + period < snapshot.now;
}

// The status of the evaluation before this one says so. What is remembered from before then no
// longer counts, and the count may since have been set by hand.
bool WasDisabled(const Snapshot& snapshot) {
  const auto& conditions = snapshot.autoscaler.status.conditions;
  return std::any_of(conditions.begin(), conditions.end(), [](const api::Condition& condition) {
    return condition.type == kHeld && condition.status == "True" && condition.reason == "Disabled";
  });
}

}  // namespace

Memory RecallPolicyMemory(const Snapshot& snapshot, std::int32_t current) {
  Memory memory = snapshot.memory.value_or(Memory());
  Clamp(memory.recommendations, &Recommendation::time, snapshot.now);
  Clamp(memory.scale_ups, &ScaleEvent::time, snapshot.now);
  Clamp(memory.scale_downs, &ScaleEvent::time, snapshot.now);
  Clamp(memory.used_samples, &UsedSample::timestamp, snapshot.now);
  ForgetOtherSamples(snapshot.autoscaler.spec, memory);
  if (LostTrackOfTime(snapshot) || WasDisabled(snapshot)) {
    memory.recommendations.push_back({snapshot.now, current});
  }
  return memory;
}

}  // namespace ballast::engine
