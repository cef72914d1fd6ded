#include "operator/engine/combination.h"

#include "operator/engine/describe.h"

namespace ballast::engine {
namespace {

void RecordFailure(Combination& result, const MetricFailure& failure) {
  result.events.push_back({"Warning", failure.reason, failure.cause});
  if (!result.failure) {
    result.failure = failure;
  }
}

}  // namespace

Combination CombineMetrics(const Context& context, Trace& trace) {
  const std::size_t total = context.snapshot.autoscaler.spec.metrics.size();
  Combination result;
  result.statuses.resize(total);
  result.proposals.resize(total);
  std::int32_t best = 0;
  std::size_t failed = 0;
  for (std::size_t i = 0; i < total; ++i) {
    MetricOutcome outcome = ComputeMetric(context, i);
    if (const auto* failure = std::get_if<MetricFailure>(&outcome)) {
      trace.Add([&] { return DescribeMetricFailure(context, i, *failure); });
      RecordFailure(result, *failure);
      ++failed;
      continue;
    }
    Proposal& proposal = std::get<Proposal>(outcome);
    trace.Add([&] { return DescribeProposal(context, i, proposal); });
    proposal.replicas = context.rules.Admit(context, i, proposal.replicas, trace);
    result.proposals[i] = proposal.replicas;
    // The first of equals wins; a best of 0 is replaced by whatever comes, as upstream has it.
    if (best == 0 || proposal.replicas > best) {
      best = proposal.replicas;
      result.metric = std::move(proposal.metric);
    }
    result.statuses[i] = std::move(proposal.status);
  }
  if (total == 0) {
    // Upstream would take this for "everything is below target"; the API server never lets it
    // happen.
    RecordFailure(result, {"InvalidMetricSourceType", "no metric is specified", ""});
    result.error = result.failure->cause;
  }
  if (failed > 0) {
    result.error = "invalid metrics (" + std::to_string(failed) + " invalid out of " +
                   std::to_string(total) + "), first error is: " + result.failure->error;
  }
  if (failed < total && (failed == 0 || best >= context.current)) {
    result.replicas = best;
  }
  trace.Add([&] { return DescribeCombination(context, result); });
  return result;
}

}  // namespace ballast::engine
