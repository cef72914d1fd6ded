// Moves a count outside the bounds to the bound at once, without metrics, stabilization or rates.
#include "operator/engine/passes.h"
#include "operator/engine/words.h"

namespace ballast::engine {
namespace {

Step Describe(std::int32_t current, std::int32_t bound) {
  const char* which = bound < current ? "more than the maximum" : "less than the minimum";
  return {.rule = Rule::kBounds,
          .in = current,
          .out = bound,
          .binding = true,
          .text = Replicas(current) + " is " + which +
                  ": scaled to the bound at once, regardless of metrics and history."};
}

}  // namespace

void MoveIntoBounds(DecideState& evaluation) {
  Decision& decision = evaluation.decision;
  const std::int32_t current = evaluation.current();
  const std::int32_t bound = decision.bounds.Nearest(current);
  if (current == 0 || bound == current) {
    return;
  }
  decision.rescale = true;
  decision.target_replicas = bound;
  decision.rescale_reason = bound < current ? kAboveMaximum : kBelowMinimum;
  evaluation.trace.Add([&] { return Describe(current, decision.target_replicas); });
  evaluation.counted = true;
}

// From zero, raises the count to the minimum: LimitByBehavior does not do that on the way up.
void WakeUp(DecideState& evaluation) {
  std::int32_t& desired = evaluation.movement.desired;
  if (evaluation.current() == 0 && desired < evaluation.decision.bounds.min) {
    desired = evaluation.decision.bounds.min;
    evaluation.trace.Add([&] { return Describe(evaluation.current(), desired); });
  }
}

}  // namespace ballast::engine
