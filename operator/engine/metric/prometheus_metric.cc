// Metrics of type Prometheus (policies only): the result of a query, which counts as an External
// metric does, except that a value below zero is no overflow: it counts as none.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "operator/engine/metric/metric.h"
#include "operator/engine/metric/whole_value.h"

namespace ballast::engine {
namespace {

MetricFailure FailPrometheus(const std::string& source, const std::string& cause) {
  const std::string message = "failed to get the metric from " + source + ": " + cause;
  return {"FailedGetPrometheusMetric", message, message};
}

}  // namespace

MetricOutcome ComputePrometheusMetric(const Context& context, std::size_t index) {
  const auto& spec = *context.snapshot.autoscaler.spec.metrics[index].prometheus;
  const auto answer = AnswerFor<MetricValueList>(context, index, "Prometheus");
  if (!answer.ok()) {
    return FailPrometheus(spec.source, answer.error().message);
  }
  if ((*answer)->size() != 1) {
    return FailPrometheus(spec.source, "the answer has " + std::to_string((*answer)->size()) +
                                           " values where one is expected");
  }
  const std::int64_t shown = context.numbers().Milli((*answer)->front().value);
  const std::int64_t usage = std::max<std::int64_t>(shown, 0);
  Proposal proposal;
  proposal.metric = "query of " + spec.source;
  proposal.status.type = "Prometheus";
  proposal.status.source = spec.source;
  if (spec.target.average_value) {
    proposal.replicas = ProposeForAverage(
        context, usage, context.numbers().Milli(*spec.target.average_value), Overflow::kSaturates);
    proposal.status.current.average_value = Quantity::FromMilli(UsagePerPod(context, shown));
    return proposal;
  }
  if (!spec.target.value) {
    return FailPrometheus(spec.source,
                          "the metric has neither a value target nor an average value target");
  }
  const auto replicas =
      ProposeForValue(context, usage, context.numbers().Milli(*spec.target.value));
  if (!replicas.ok()) {
    return FailPrometheus(spec.source, replicas.error().message);
  }
  proposal.replicas = *replicas;
  proposal.status.current.value = Quantity::FromMilli(shown);
  return proposal;
}

}  // namespace ballast::engine
