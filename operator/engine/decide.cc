#include <string>

#include "operator/engine/effective.h"
#include "operator/engine/engine.h"
#include "operator/engine/passes.h"
#include "operator/engine/timetable.h"

namespace ballast::engine {

DecideState::DecideState(const Snapshot& of, Tracing tracing, Decision& to)
    : snapshot(of),
      spec(of.autoscaler.spec),
      policy(of.autoscaler.is_policy()),
      quirks(QuirksOf(policy, of.settings)),
      settings(EffectiveSettings(of)),
      scheduled(ScheduledBoundsOf(of)),
      decision(to),
      trace(tracing),
      conditions(decision.status.conditions, of.now) {
  decision.bounds = scheduled.bounds;
  decision.status = of.autoscaler.status;
  if (of.memory) {
    // With room for the recommendation of this evaluation.
    decision.memory.recommendations.reserve(of.memory->recommendations.size() + 1);
    decision.memory = *of.memory;
  }
}

void DecideState::Note(const std::string& reason, const std::string& message) {
  decision.problem = EvaluationProblem{reason, message};
}

void DecideState::GiveUp(const std::string& error) {
  decision.events.push_back({"Warning", "FailedComputeMetricsReplicas", error});
  trace.Add([&] {
    return Step{.rule = Rule::kEvaluation,
                .binding = true,
                .text = "No replica count can be computed, so the target keeps its replicas: " +
                        error + "."};
  });
  counted = true;
}

void DecideState::KeepReplicas() {
  decision.rescale = false;
  decision.rescale_reason.clear();
  decision.target_replicas = decision.current_replicas;
  decision.status.desired_replicas = decision.current_replicas;
}

Decision Decide(const Snapshot& snapshot, Tracing tracing) {
  Decision decision;
  DecideState evaluation(snapshot, tracing, decision);
  for (const auto& pass : CountingPasses()) {
    if (!evaluation.counted && pass.Concerns(evaluation.policy)) {
      pass.apply(evaluation);
    }
  }
  Apply(FinishingPasses(), evaluation.policy, evaluation);
  decision.trace = evaluation.trace.Take();
  return decision;
}

void TraceDecision(DecideState& evaluation) {
  const Decision& decision = evaluation.decision;
  evaluation.trace.Add([&] {
    const std::int32_t from = decision.current_replicas;
    const std::int32_t to = decision.dry_run_replicas.value_or(decision.target_replicas);
    Step step{.rule = Rule::kDecision, .in = from, .out = to};
    if (decision.dry_run_replicas) {
      step.binding = from != to;
      step.text = "Dry run: the scale would be " + std::to_string(to) + ".";
    } else if (decision.rescale) {
      step.binding = true;
      step.text = "Scale from " + std::to_string(from) + " to " + std::to_string(to) + ": " +
                  decision.rescale_reason + ".";
    } else {
      step.out = from;
      step.text = "The target keeps its replicas.";
    }
    return step;
  });
}

}  // namespace ballast::engine
