// Policies: corrects the memory after an interruption or a jump of the clock, and compacts it.
#include <algorithm>

#include "api/autoscaling/mode.h"
#include "operator/engine/memory/continuity.h"
#include "operator/engine/memory/memory_prune.h"
#include "operator/engine/metric/sample_age.h"
#include "operator/engine/passes.h"
#include "operator/engine/policy/used_samples.h"

namespace ballast::engine {

// What the rule of continuity.h says, and that samples of a wrong clock are forgotten.
void RepairMemory(DecideState& evaluation) {
  const Snapshot& snapshot = evaluation.snapshot;
  Memory& memory = evaluation.decision.memory;
  Mend(snapshot, memory);
  // A used sample keeps its time, which is its identity: with the time set to now, the same sample
  // would look like a newer one. One that would not count any more, since the clock was set back,
  // is dropped: those of the time until then would look like older ones.
  std::erase_if(memory.used_samples, [&](const UsedSample& sample) {
    return sample.timestamp > snapshot.now + kClocksDiffer;
  });
  ForgetOtherSamples(evaluation.spec, memory);
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
