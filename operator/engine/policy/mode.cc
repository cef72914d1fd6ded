// Policies: applies spec.mode to a decision.
#include "api/autoscaling/mode.h"

#include <string>

#include "operator/engine/effective.h"
#include "operator/engine/passes.h"

namespace ballast::engine {
namespace {

std::string DescribeWish(const Decision& decision) {
  const std::string from = std::to_string(decision.current_replicas);
  if (decision.rescale) {
    return "would scale from " + from + " to " + std::to_string(decision.target_replicas) + ": " +
           decision.rescale_reason;
  }
  if (decision.problem) {
    return kWouldKeep + decision.problem->message;
  }
  return "would stay at " + from + " replicas";
}

// The pass "pause" comes later, and only holds what is to be written.
void KeepWhatSchedulesHold(DecideState& evaluation) {
  const Decision& decision = evaluation.decision;
  for (const api::Pause& pause : EffectivePauses(evaluation.snapshot)) {
    if (decision.rescale && pause.Holds(decision.current_replicas, decision.target_replicas)) {
      evaluation.KeepReplicas();
    }
  }
}

}  // namespace

void RestWhenDisabled(DecideState& evaluation) {
  evaluation.counted = !api::ModeOf(evaluation.spec).evaluates;
}

// DryRun keeps the decided count as dry_run_replicas, and nothing is written.
void ApplyMode(DecideState& evaluation) {
  Decision& decision = evaluation.decision;
  switch (api::ModeOf(evaluation.spec).kind) {
    case api::ServingMode::Kind::kActive:
      return;
    case api::ServingMode::Kind::kObserve:
    case api::ServingMode::Kind::kShadow:
    case api::ServingMode::Kind::kManage:
    case api::ServingMode::Kind::kIgnore:
      return;  // no spec.mode, so never here
    case api::ServingMode::Kind::kDisabled:
      evaluation.conditions.True(
          api::kHeld, api::kModeDisabled,
          "spec.mode is Disabled: the policy is not evaluated and the target "
          "keeps its replicas; set it to Active to resume");
      break;
    case api::ServingMode::Kind::kDryRun:
      KeepWhatSchedulesHold(evaluation);
      evaluation.conditions.True(api::kHeld, "DryRun", DescribeWish(decision));
      decision.dry_run_replicas = decision.target_replicas;
      if (decision.rescale) {
        decision.status.desired_replicas = decision.target_replicas;
        decision.rescale = false;
      }
      break;
  }
  evaluation.held = true;
}

}  // namespace ballast::engine
