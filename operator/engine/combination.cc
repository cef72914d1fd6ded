// Combines the proposals of several metrics: the highest wins, and if a metric has failed, the
// count never goes down.
#include <algorithm>
#include <optional>
#include <string>

#include "operator/engine/passes.h"
#include "operator/engine/words.h"

namespace ballast::engine {
namespace {

struct Combination {
  // The highest proposal. Absent if there are no metrics, if all failed, or if some failed and the
  // others would scale in.
  std::optional<std::int32_t> replicas;
  std::int32_t asked = 0;                // the same before the pass "one scale-up a sample"
  std::string metric;                    // the one with that proposal
  std::optional<MetricFailure> failure;  // the first one
  std::string error;                     // sums up the failures; empty without one
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
    result.asked = std::max(result.asked, proposal.asked);
    // The first of equal proposals wins, but any later one replaces a best of 0, as in upstream.
    if (best == 0 || proposal.replicas > best) {
      best = proposal.replicas;
      result.metric = std::move(proposal.metric);
    }
    decision.status.current_metrics[i] = std::move(proposal.status);
  }
  if (total == 0) {
    // Never passes the API server. Upstream would scale in ("All metrics below target").
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
    step.text =
        "Metrics failed, and no other metric needs more replicas: the target keeps its replicas.";
    return step;
  }
  step.binding = *combination.replicas != current;
  step.text = "The highest proposal wins: " + Replicas(*combination.replicas) + ", from " +
              combination.metric + ".";
  return step;
}

}  // namespace

void CombineMetrics(DecideState& evaluation) {
  Combination result = Combine(evaluation.metrics, evaluation.decision);
  const bool falls_back = !evaluation.movement.fallback.empty();
  if (!falls_back) {
    evaluation.trace.Add(
        [&] { return Describe(result, evaluation.metrics.size(), evaluation.current()); });
  }
  if (result.failure) {
    evaluation.Note(result.failure->reason, result.failure->cause);
  }
  if (!result.replicas) {
    evaluation.conditions.False(
        api::kScalingActive, result.failure->reason,
        "the HPA was unable to compute the replica count: " + result.failure->cause);
    if (!falls_back) {
      evaluation.GiveUp(result.error);
    }
    return;
  }
  evaluation.conditions.True(
      api::kScalingActive, "ValidMetricFound",
      "the HPA was able to successfully calculate a replica count from " + result.metric);
  evaluation.movement.metric = std::move(result.metric);
  evaluation.movement.raw = std::max(*result.replicas, 0);
  evaluation.movement.asked = result.asked;
  evaluation.decision.recommended = evaluation.movement.raw;
}

}  // namespace ballast::engine
