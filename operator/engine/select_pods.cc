// The pods that the target's selector matches; without them, or if they are another autoscaler's
// too, nothing can be counted.
#include <variant>

#include "operator/engine/passes.h"
#include "operator/engine/selector_check.h"

namespace ballast::engine {

void SelectPods(Evaluation& evaluation) {
  const auto selection = CheckPodSelection(evaluation.snapshot, *evaluation.scale);
  if (const auto* pods = std::get_if<const PodList*>(&selection)) {
    evaluation.pods = *pods;
    return;
  }
  const auto& problem = std::get<SelectorProblem>(selection);
  evaluation.Note(problem.condition_reason, problem.message);
  if (!problem.event_reason.empty()) {
    evaluation.decision.events.push_back({"Warning", problem.event_reason, problem.message});
    evaluation.conditions.False(api::kScalingActive, problem.condition_reason,
                                problem.condition_message);
  }
  evaluation.GiveUp(problem.message);
}

}  // namespace ballast::engine
