// Metrics of type External: the sum of series from outside the cluster.
#include <cstdint>
#include <limits>
#include <string>

#include "operator/engine/metric/metric.h"
#include "operator/engine/metric/whole_value.h"

namespace ballast::engine {
namespace {

constexpr std::int64_t kMaxUsage = std::numeric_limits<std::int64_t>::max();

MetricFailure Fail(const std::string& metric, const std::string& cause,
                   const std::string& where = "") {
  return {"FailedGetExternalMetric", cause,
          "failed to get " + metric + " external metric value: " + where + cause};
}

Result<const MetricValueList*> SeriesOf(const Context& context, std::size_t index,
                                        const api::ExternalMetricSource& spec) {
  TRY(CheckSelector(spec.metric.selector));
  auto answer = AnswerFor<MetricValueList>(context, index, "external");
  if (!answer.ok()) {
    return answer.error().In("unable to get external metric " +
                             context.snapshot.autoscaler.metadata.namespace_ + "/" +
                             spec.metric.name + "/" + Print(spec.metric.selector));
  }
  return answer;
}

// Returns the maximum if the sum would overflow upward.
std::int64_t SaturatingSum(const MetricValueList& series, Numbers numbers) {
  std::int64_t sum = 0;
  for (const api::MetricValue& item : series) {
    const std::int64_t value = numbers.Milli(item.value);
    if (value > 0 && sum > kMaxUsage - value) {
      return kMaxUsage;
    }
    sum = numbers.Add(sum, value);
  }
  return sum;
}

// Upstream takes every negative sum for an overflow and continues with the maximum, so a metric
// that really is negative scales out.
std::int64_t SumTakenForPositive(const MetricValueList& series, Numbers numbers) {
  std::int64_t sum = 0;
  for (const api::MetricValue& item : series) {
    sum = numbers.Add(sum, numbers.Milli(item.value));
    if (sum < 0) {
      return kMaxUsage;
    }
  }
  return sum;
}

MetricOutcome ByAverage(const Context& context, std::size_t index,
                        const api::ExternalMetricSource& spec, Proposal proposal) {
  const auto series = SeriesOf(context, index, spec);
  if (!series.ok()) {
    return Fail(spec.metric.name, series.error().message,
                "failed to get " + spec.metric.name + " external metric: ");
  }
  const std::int64_t usage = SumTakenForPositive(**series, context.numbers());
  proposal.replicas = ProposeForAverage(
      context, usage, context.numbers().Milli(*spec.target.average_value), Overflow::kSaturates);
  // Compared as doubles, as in upstream: everything that rounds to 2^63 counts as the maximum.
  const bool overflown = static_cast<double>(usage) >= static_cast<double>(kMaxUsage);
  proposal.status.current.average_value =
      Quantity::FromMilli(overflown ? kMaxUsage : UsagePerPod(context, usage));
  return proposal;
}

MetricOutcome ByValue(const Context& context, std::size_t index,
                      const api::ExternalMetricSource& spec, Proposal proposal) {
  const std::string where = "failed to get external metric " + spec.metric.name + ": ";
  const auto series = SeriesOf(context, index, spec);
  if (!series.ok()) {
    return Fail(spec.metric.name, series.error().message, where);
  }
  const std::int64_t usage = SaturatingSum(**series, context.numbers());
  const auto replicas =
      ProposeForValue(context, usage, context.numbers().Milli(*spec.target.value));
  if (!replicas.ok()) {
    return Fail(spec.metric.name, replicas.error().message, where);
  }
  proposal.replicas = *replicas;
  proposal.status.current.value = Quantity::FromMilli(usage);
  return proposal;
}

}  // namespace

MetricOutcome ComputeExternalMetric(const Context& context, std::size_t index) {
  const auto& spec = *context.snapshot.autoscaler.spec.metrics[index].external;
  Proposal proposal;
  proposal.metric = ExternalName(spec.metric);
  proposal.status.type = "External";
  proposal.status.metric = spec.metric;
  if (spec.target.average_value) {
    return ByAverage(context, index, spec, std::move(proposal));
  }
  if (spec.target.value) {
    return ByValue(context, index, spec, std::move(proposal));
  }
  return Fail(spec.metric.name,
              "invalid external metric source: neither a value target nor an average value target "
              "was set");
}

}  // namespace ballast::engine
