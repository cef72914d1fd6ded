#include "operator/engine/policy/policy_memory.h"

#include "api/autoscaling/condition_types.h"

#include <algorithm>

#include "operator/engine/conditions.h"
#include "operator/engine/memory_prune.h"
#include "operator/engine/policy/policy_samples.h"

namespace ballast::engine {
namespace {

// A sample that is stamped later than this is taken for a clock that was wrong.
constexpr Duration kAhead = Duration::Seconds(3600);

template <typename Entry>
void Clamp(std::vector<Entry>& entries, Time Entry::*time, Time now) {
  for (Entry& entry : entries) {
    entry.*time = std::min(entry.*time, now);
  }
}

bool LostTrack(const Snapshot& snapshot) {
  return snapshot.interrupted || snapshot.clock_jumped ||
         (snapshot.last_evaluation && *snapshot.last_evaluation > snapshot.now);
}

// The status of the evaluation before this one says so. What is remembered from before then no
// longer counts, and the count may since have been set by hand.
bool WasDisabled(const Snapshot& snapshot) {
  const auto& conditions = snapshot.autoscaler.status.conditions;
  return std::any_of(conditions.begin(), conditions.end(), [](const api::Condition& condition) {
    return condition.type == api::kHeld && condition.status == "True" &&
           condition.reason == api::kModeDisabled;
  });
}

}  // namespace

Memory RecallPolicyMemory(const Snapshot& snapshot, std::int32_t current) {
  Memory memory = snapshot.memory.value_or(Memory());
  Clamp(memory.recommendations, &Recommendation::time, snapshot.now);
  Clamp(memory.scale_ups, &ScaleEvent::time, snapshot.now);
  Clamp(memory.scale_downs, &ScaleEvent::time, snapshot.now);
  // A sample's time is its identity: moved to now, the same sample would look like a newer one.
  std::erase_if(memory.used_samples,
                [&](const UsedSample& sample) { return sample.timestamp > snapshot.now + kAhead; });
  ForgetOtherSamples(snapshot.autoscaler.spec, memory);
  if (LostTrack(snapshot) || WasDisabled(snapshot)) {
    memory.recommendations.push_back({snapshot.now, current});
  }
  return memory;
}

void CompactPolicyMemory(const Snapshot& snapshot, Memory& memory) {
  PruneMemory(snapshot.autoscaler.spec, snapshot.settings, snapshot.now, memory);
  KeepLatestOfEachCount(memory.recommendations);
}

}  // namespace ballast::engine
