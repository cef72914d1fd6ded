// Holds what somebody has paused by annotation, or by a schedule with a hold: every change of the
// count in that direction, moving into the bounds too. A count outside the bounds is still never
// written; it only stays.
//
// The condition Held shows a pause from its beginning to its end, also while there is nothing to
// hold; one that does keep a count from being written comes first.
#include <string>

#include "operator/engine/effective.h"
#include "operator/engine/passes.h"

namespace ballast::engine {
namespace {

Step Describe(const api::Pause& pause, const Decision& decision, bool holds) {
  Step step{.rule = Rule::kPause, .binding = holds, .text = Print(pause) + "."};
  if (holds) {
    step.in = decision.target_replicas;
    step.out = decision.current_replicas;
    step.text = "Scaling to " + std::to_string(decision.target_replicas) + " is held: " + step.text;
  }
  return step;
}

}  // namespace

void HoldForPause(DecideState& evaluation) {
  const Decision& decision = evaluation.decision;
  for (const api::Pause& pause : EffectivePauses(evaluation.snapshot)) {
    const bool holds =
        decision.rescale && pause.Holds(decision.current_replicas, decision.target_replicas);
    evaluation.trace.Add([&] { return Describe(pause, decision, holds); });
    if (holds || !evaluation.held) {
      evaluation.conditions.True(
          api::kHeld, pause.by_schedule ? api::kHeldBySchedule : api::kPaused, Print(pause));
      evaluation.held = true;
    }
    if (holds) {
      evaluation.KeepReplicas();
    }
  }
}

}  // namespace ballast::engine
