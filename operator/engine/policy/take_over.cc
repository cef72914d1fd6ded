// Policies: the first evaluation in place of a HorizontalPodAutoscaler that is gone.
#include <string>

#include "operator/engine/memory/continuity.h"
#include "operator/engine/passes.h"

namespace ballast::engine {

// The present count becomes a recommendation, as if the policy had recommended it itself, so that
// nothing scales in for a whole window. The condition keeps this from happening again
// (api::TakesOverFrom).
void TakeOver(DecideState& evaluation) {
  const auto& from = evaluation.snapshot.takes_over_from;
  if (!from) {
    return;
  }
  Decision& decision = evaluation.decision;
  Seed(decision.memory, evaluation.snapshot.now, evaluation.current());
  const auto& target = evaluation.spec.scale_target_ref;
  const std::string message = std::string(api::kHpaKind) + " " +
                              evaluation.snapshot.autoscaler.metadata.namespace_ + "/" + *from +
                              " does not scale " + target.kind + " " + target.name +
                              ": this policy does now, from its present " +
                              std::to_string(evaluation.current()) + " replicas";
  evaluation.conditions.True(api::kTookOver, api::kRivalIsGone, message);
  decision.events.push_back({"Normal", api::kTookOver, message});
}

}  // namespace ballast::engine
