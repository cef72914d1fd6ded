// Policies: reports the evaluation itself in the status (observedGeneration, Ready).
#include "api/autoscaling/mode.h"
#include "operator/engine/passes.h"

namespace ballast::engine {

void ObserveGeneration(DecideState& evaluation) {
  evaluation.decision.status.observed_generation =
      evaluation.snapshot.autoscaler.metadata.generation;
}

void ReportReady(DecideState& evaluation) {
  const auto& problem = evaluation.decision.problem;
  if (!api::ModeOf(evaluation.spec).evaluates) {
    evaluation.conditions.True(api::kReady, api::kModeDisabled,
                               "spec.mode is Disabled: the policy is not evaluated");
  } else if (problem) {
    evaluation.conditions.False(api::kReady, problem->reason, problem->message);
  } else {
    evaluation.conditions.True(api::kReady, "Evaluated",
                               "the policy was evaluated without problems");
  }
}

void ReportFailedWrite(ConcludeState& concluding) {
  using Kind = Outcome::Kind;
  const Outcome& outcome = concluding.outcome;
  if (outcome.kind == Kind::kFailed || outcome.kind == Kind::kUnknown) {
    concluding.conditions.False(api::kReady, "FailedUpdateScale",
                                "the target's scale could not be written: " + outcome.message);
  }
}

}  // namespace ballast::engine
