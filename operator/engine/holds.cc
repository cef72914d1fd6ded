// Holds, which keep a decided count from being written for now. A hold is a step of the decision,
// so that `decide`, `why` and `replay` agree on it. Only the first that applies takes effect; the
// condition Held has its reason. A pause (pause.cc) comes before them.
//
// A policy always has the condition Held; a HorizontalPodAutoscaler, whose conditions are
// upstream's otherwise, only while something holds.
#include <string>

#include "api/autoscaling/pause_annotation.h"
#include "operator/engine/passes.h"

namespace ballast::engine {
namespace {

void HoldBack(DecideState& evaluation, const char* reason, const std::string& message) {
  evaluation.trace.Add([&] {
    const Decision& decision = evaluation.decision;
    return Step{.rule = Rule::kHold,
                .in = decision.target_replicas,
                .out = decision.current_replicas,
                .binding = true,
                .text = std::string(reason) + ": " + message + "."};
  });
  evaluation.conditions.True(api::kHeld, reason, message);
  evaluation.held = true;
  evaluation.KeepReplicas();
}

}  // namespace

// The count that this decision is based on may be about to change.
void HoldForUnsettledWrite(DecideState& evaluation) {
  const auto& write = evaluation.snapshot.unsettled_write;
  if (evaluation.decision.rescale && write) {
    HoldBack(evaluation, "UnsettledWrite",
             "it is not known yet whether the scale from " + std::to_string(write->from) + " to " +
                 std::to_string(write->to) + ", decided at " + Print(write->time) +
                 ", was written; no other scale is written until it is known");
  }
}

// Metrics of pods that are gone, or that the watch has not shown yet, are no reason to scale in.
// Enforcing the maximum needs no metrics and is not held.
void HoldForOldView(DecideState& evaluation) {
  const Decision& decision = evaluation.decision;
  const auto& age = evaluation.snapshot.pods_age;
  const Duration limit = evaluation.settings.max_view_age;
  const bool scales_in = decision.rescale && decision.target_replicas < decision.current_replicas &&
                         decision.current_replicas <= decision.bounds.max;
  if (!scales_in || !age || *age <= limit) {
    return;
  }
  const std::string silent = "the watch of pods has been silent for " + Print(*age) +
                             ", longer than --max-view-age (" + Print(limit) + ")";
  if (evaluation.policy) {
    HoldBack(evaluation, kOldView, silent + ": nothing is scaled in until it reports again");
  } else {  // upstream scales in all the same
    evaluation.trace.Add([&] {
      return Step{.rule = Rule::kHold,
                  .text = silent + "; a policy would not scale in until it reports again."};
    });
  }
}

void ReleaseHold(DecideState& evaluation) {
  if (evaluation.held) {
    return;
  }
  if (api::PauseHasNoEnd(evaluation.snapshot.autoscaler)) {
    evaluation.conditions.False(api::kHeld, "PauseNotUnderstood",
                                std::string(evaluation.policy ? "the policy" : "the HPA") +
                                    " is not paused: the annotation " + api::kPausedUntil +
                                    " must be " + api::kPauseEnd);
  } else if (evaluation.policy) {
    evaluation.conditions.False(api::kHeld, "Active", "the policy scales its target");
  } else {
    evaluation.conditions.Remove(api::kHeld);
  }
}

}  // namespace ballast::engine
