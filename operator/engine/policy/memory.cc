// Policies: what memory is worth after an interruption, or when the clock jumped, and what of it is
// kept.
#include <algorithm>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/mode.h"
#include "operator/engine/memory_prune.h"
#include "operator/engine/passes.h"
#include "operator/engine/policy/used_samples.h"

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

// No recommendation or scale event is later than now. When the evaluations were interrupted, the
// clock jumped, or the policy was Disabled, the present count is added to the recommendations as if
// the controller had just started: what happened meanwhile is unknown, so that nothing scales in
// before one window has been watched. Evaluations that are late, however regularly, add nothing:
// what they would have recommended, they recommend now.
void DistrustMemory(Evaluation& evaluation) {
  const Snapshot& snapshot = evaluation.snapshot;
  Memory& memory = evaluation.decision.memory;
  Clamp(memory.recommendations, &Recommendation::time, snapshot.now);
  Clamp(memory.scale_ups, &ScaleEvent::time, snapshot.now);
  Clamp(memory.scale_downs, &ScaleEvent::time, snapshot.now);
  // A sample's time is its identity: moved to now, the same sample would look like a newer one.
  std::erase_if(memory.used_samples,
                [&](const UsedSample& sample) { return sample.timestamp > snapshot.now + kAhead; });
  ForgetOtherSamples(evaluation.spec, memory);
  if (LostTrack(snapshot) || WasDisabled(snapshot)) {
    memory.recommendations.push_back({snapshot.now, evaluation.current()});
  }
}

// Drops what no decision from now on will look at, and of each replica count all recommendations
// but the latest. So memory stays within one entry for each count that was recommended within the
// windows, however often, and how irregularly, the policy is evaluated.
void CompactMemory(Concluding& concluding) {
  const Snapshot& snapshot = concluding.snapshot;
  Memory& memory = concluding.conclusion.memory;
  const api::AutoscalerSpec& spec = snapshot.autoscaler.spec;
  if (api::ModeOf(spec).evaluates) {
    PruneMemory(spec, snapshot.settings, snapshot.now, memory);
    KeepLatestOfEachCount(memory.recommendations);
  }
}

}  // namespace ballast::engine
