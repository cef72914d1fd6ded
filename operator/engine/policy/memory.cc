// Policies: corrects the memory after an interruption or a jump of the clock, and compacts it.
#include <algorithm>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/mode.h"
#include "operator/engine/memory/memory_prune.h"
#include "operator/engine/metric/sample_age.h"
#include "operator/engine/passes.h"
#include "operator/engine/policy/used_samples.h"

namespace ballast::engine {
namespace {

bool LostTrack(const Snapshot& snapshot) {
  return snapshot.interrupted || snapshot.clock_jumped ||
         (snapshot.last_evaluation && *snapshot.last_evaluation > snapshot.now);
}

// Whether, according to the status, the policy was Disabled until now. The memory is older than
// that, and the count may have been set by hand since.
bool WasDisabled(const Snapshot& snapshot) {
  const auto& conditions = snapshot.autoscaler.status.conditions;
  return std::any_of(conditions.begin(), conditions.end(), [](const api::Condition& condition) {
    return condition.type == api::kHeld && condition.status == "True" &&
           condition.reason == api::kModeDisabled;
  });
}

}  // namespace

// Moves recommendations and scale events in the future to now. If evaluations were interrupted, the
// clock jumped, or the policy was Disabled, adds the present count to the recommendations, as
// upstream does when it starts: what happened meanwhile is unknown, so nothing may scale in before
// one whole window has been observed. Late evaluations add nothing, even if they are frequent: what
// they would have recommended, they recommend now.
void RepairMemory(DecideState& evaluation) {
  const Snapshot& snapshot = evaluation.snapshot;
  Memory& memory = evaluation.decision.memory;
  MoveToPast(snapshot.now, memory);
  // A used sample keeps its time, which is its identity: with the time set to now, the same sample
  // would look like a newer one. One that would not count any more, since the clock was set back,
  // is dropped: those of the time until then would look like older ones.
  std::erase_if(memory.used_samples, [&](const UsedSample& sample) {
    return sample.timestamp > snapshot.now + kClocksDiffer;
  });
  ForgetOtherSamples(evaluation.spec, memory);
  if (LostTrack(snapshot) || WasDisabled(snapshot)) {
    memory.recommendations.push_back({snapshot.now, evaluation.current()});
  }
}

// Drops what no later decision depends on, and all but the latest recommendation of each count. So
// there is at most one recommendation for each count recommended within the windows, however often
// and irregularly the policy is evaluated.
void CompactMemory(ConcludeState& concluding) {
  const Snapshot& snapshot = concluding.snapshot;
  Memory& memory = concluding.conclusion.memory;
  const api::AutoscalerSpec& spec = snapshot.autoscaler.spec;
  if (api::ModeOf(spec).evaluates) {
    PruneMemory(spec, snapshot.settings, snapshot.now, memory);
    KeepLatestOfEachCount(memory.recommendations);
  }
}

}  // namespace ballast::engine
