// Several metrics, one count: the highest proposal wins, and metrics that failed never lower it.
#include <algorithm>
#include <optional>
#include <string>

#include "operator/engine/passes.h"
#include "operator/engine/words.h"

namespace ballast::engine {
namespace {

struct Combination {
  // The highest proposal; absent when the metrics as a whole failed: all of them did, or some did
  // and the others would scale in.
  std::optional<std::int32_t> replicas;
  std::string metric;                    // whose proposal it is
  std::optional<MetricFailure> failure;  // the first one
  std::string error;                     // about all failures together; empty without one
};

void RecordFailure(Decision& decision, Combination& result, const MetricFailure& failure) {
  decision.events.push_back({"Warning", failure.reason, failure.cause});
  if (!result.failure) {
    result.failure = failure;
  }
}

// Moves the metrics' statuses, proposals and failures into the decision.
Combination Combine(std::vector<MetricOutcome>& metrics, Decision& decision) {
  const std::size_t total = metrics.size();
  Combination result;
  decision.status.current_metrics.resize(total);
  decision.proposals.resize(total);
  std::int32_t best = 0;
  std::size_t failed = 0;
  for (std::size_t i = 0; i < total; ++i) {
    if (const auto* failure = std::get_if<MetricFailure>(&metrics[i])) {
      RecordFailure(decision, result, *failure);
      ++failed;
      continue;
    }
    Proposal& proposal = std::get<Proposal>(metrics[i]);
    decision.proposals[i] = proposal.replicas;
    // The first of equals wins; a best of 0 is replaced by whatever comes, as upstream has it.
    if (best == 0 || proposal.replicas > best) {
      best = proposal.replicas;
      result.metric = std::move(proposal.metric);
    }
    decision.status.current_metrics[i] = std::move(proposal.status);
  }
  if (total == 0) {
    // Upstream would take this for "everything is below target"; the API server never lets it
    // happen.
    RecordFailure(decision, result, {"InvalidMetricSourceType", "no metric is specified", ""});
    result.error = result.failure->cause;
  }
  if (failed > 0) {
    result.error = "invalid metrics (" + std::to_string(failed) + " invalid out of " +
                   std::to_string(total) + "), first error is: " + result.failure->error;
  }
  if (failed < total && (failed == 0 || best >= decision.current_replicas)) {
    result.replicas = best;
  }
  return result;
}

Step Describe(const Combination& combination, std::size_t metrics, std::int32_t current) {
  Step step{.rule = Rule::kCombination,
            .given = Count(static_cast<std::int64_t>(metrics), "metric"),
            .out = combination.replicas};
  if (!combination.replicas) {
    step.binding = true;
    step.text = "Metrics failed, and those that did not would only scale in: nothing changes.";
    return step;
  }
  step.binding = *combination.replicas != current;
  step.text = "The highest proposal counts: " + Replicas(*combination.replicas) + ", from " +
              combination.metric + ".";
  return step;
}

}  // namespace

void CombineMetrics(Evaluation& evaluation) {
  Combination result = Combine(evaluation.metrics, evaluation.decision);
  evaluation.trace.Add(
      [&] { return Describe(result, evaluation.metrics.size(), evaluation.current()); });
  if (result.failure) {
    evaluation.Note(result.failure->reason, result.failure->cause);
  }
  if (!result.replicas) {
    evaluation.conditions.False(
        api::kScalingActive, result.failure->reason,
        "the HPA was unable to compute the replica count: " + result.failure->cause);
    evaluation.GiveUp(result.error);
    return;
  }
  evaluation.conditions.True(
      api::kScalingActive, "ValidMetricFound",
      "the HPA was able to successfully calculate a replica count from " + result.metric);
  evaluation.movement.metric = std::move(result.metric);
  evaluation.movement.raw = std::max(*result.replicas, 0);
  evaluation.decision.recommended = evaluation.movement.raw;
}

}  // namespace ballast::engine
