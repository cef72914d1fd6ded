// Metrics of type Object: one number that describes a Kubernetes object.
#include <string>

#include "operator/engine/metric/metric.h"
#include "operator/engine/metric/whole_value.h"

namespace ballast::engine {
namespace {

constexpr const char* kReason = "FailedGetObjectMetric";

MetricFailure Fail(const std::string& cause, const std::string& where = "") {
  return {kReason, cause, "failed to get object metric value: " + where + cause};
}

Result<std::int64_t> UsageOf(const Context& context, std::size_t index,
                             const api::ObjectMetricSource& spec) {
  const auto answer = SingleAnswerFor(context, index);
  if (!answer.ok()) {
    const std::string metric = "unable to get metric " + spec.metric.name;
    const std::string& kind = spec.described_object.kind;
    const std::string& name = spec.described_object.name;
    const std::string& namespace_ = context.snapshot.autoscaler.metadata.namespace_;
    const std::string& why = answer.error().message;
    return Problem(context.quirks.confuses_object_message
                       ? metric + ": " + kind + " on " + namespace_ + " " + name + "/" + why
                       : metric + " on " + kind + " " + namespace_ + "/" + name + ": " + why);
  }
  return context.numbers().Milli((*answer)->value);
}

MetricOutcome ByValue(const Context& context, std::size_t index,
                      const api::ObjectMetricSource& spec, Proposal proposal) {
  const auto usage = UsageOf(context, index, spec);
  if (!usage.ok()) {
    return Fail(usage.error().message);
  }
  const auto replicas =
      ProposeForValue(context, *usage, context.numbers().Milli(*spec.target.value));
  if (!replicas.ok()) {
    return Fail(replicas.error().message);
  }
  proposal.replicas = *replicas;
  proposal.metric = spec.described_object.kind + " metric " + spec.metric.name;
  proposal.status.current.value = Quantity::FromMilli(*usage);
  return proposal;
}

MetricOutcome ByAverage(const Context& context, std::size_t index,
                        const api::ObjectMetricSource& spec, Proposal proposal) {
  const auto usage = UsageOf(context, index, spec);
  if (!usage.ok()) {
    return Fail(usage.error().message, "failed to get " + spec.metric.name + " object metric: ");
  }
  proposal.replicas = ProposeForAverage(
      context, *usage, context.numbers().Milli(*spec.target.average_value), Overflow::kWraps);
  proposal.metric = ExternalName(spec.metric);
  proposal.status.current.average_value = Quantity::FromMilli(UsagePerPod(context, *usage));
  return proposal;
}

}  // namespace

MetricOutcome ComputeObjectMetric(const Context& context, std::size_t index) {
  const auto& spec = *context.snapshot.autoscaler.spec.metrics[index].object;
  if (const auto selector = CheckSelector(spec.metric.selector); !selector.ok()) {
    return Fail(selector.error().message);
  }
  Proposal proposal;
  proposal.status.type = "Object";
  proposal.status.metric = spec.metric;
  proposal.status.described_object = spec.described_object;
  if (spec.target.type == "Value" && spec.target.value) {
    return ByValue(context, index, spec, std::move(proposal));
  }
  if (spec.target.type == "AverageValue" && spec.target.average_value) {
    return ByAverage(context, index, spec, std::move(proposal));
  }
  return Fail(
      "invalid object metric source: neither a value target nor an average value target was set");
}

}  // namespace ballast::engine
