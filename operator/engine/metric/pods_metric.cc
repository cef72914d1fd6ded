// Metrics of type Pods: a custom metric of each of the target's pods, with an average target.
#include <string>

#include "operator/engine/metric/metric.h"
#include "operator/engine/metric/pod_average.h"

namespace ballast::engine {
namespace {

Result<PodsProposal> Compute(const Context& context, std::size_t index,
                             const api::PodsMetricSource& spec) {
  TRY(CheckSelector(spec.metric.selector));
  if (!spec.target.average_value) {
    return Problem("invalid pods metric source: no average value target was set");
  }
  const auto answer = AnswerFor<MetricValueList>(context, index, "custom");
  if (!answer.ok()) {
    return answer.error().In("unable to get metric " + spec.metric.name);
  }
  ASSIGN_OR_RETURN(
      MeasuredPods pods,
      MeasurePods(context, WithoutMistimed(context, index, PodSamples(**answer, context.numbers())),
                  ""));
  const AmountTarget target(context.numbers().Milli(*spec.target.average_value), context.numbers());
  return ProposeForPods(context, std::move(pods), target);
}

}  // namespace

MetricOutcome ComputePodsMetric(const Context& context, std::size_t index) {
  const auto& spec = *context.snapshot.autoscaler.spec.metrics[index].pods;
  const auto result = Compute(context, index, spec);
  if (!result.ok()) {
    const std::string& cause = result.error().message;
    return MetricFailure{"FailedGetPodsMetric", cause, "failed to get pods metric value: " + cause};
  }
  Proposal proposal{result->replicas, "pods metric " + spec.metric.name, {}, result->pods};
  proposal.status.type = "Pods";
  proposal.status.metric = spec.metric;
  proposal.status.current.average_value = Quantity::FromMilli(result->usage.average);
  return proposal;
}

}  // namespace ballast::engine
