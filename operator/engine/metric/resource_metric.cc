// Metrics of type Resource and ContainerResource: cpu, memory and other resources of the target's
// pods.
#include <string>
#include <string_view>

#include "operator/engine/metric/metric.h"
#include "operator/engine/metric/pod_average.h"

namespace ballast::engine {
namespace {

// A source of either type.
struct ResourceSource {
  const std::string& resource;
  std::string_view container;  // empty for Resource
  const char* kind;            // " resource", " container resource"
  const api::MetricTarget& target;
};

struct ResourceProposal {
  std::int32_t replicas = 0;
  std::string metric;
  api::MetricValueStatus current;
  PodCounts pods;
};

Quantity AverageOf(const std::string& resource, const Usage& usage) {
  return Quantity::FromMilli(usage.average, resource == "memory" ? Quantity::Format::kBinarySi
                                                                 : Quantity::Format::kDecimalSi);
}

Result<Samples> SamplesOf(const Context& context, std::size_t index, const ResourceSource& source) {
  const auto answer = AnswerFor<PodMetricsList>(context, index, "resource");
  if (!answer.ok()) {
    return answer.error().In("unable to get metrics for resource " + source.resource);
  }
  return WithoutMistimed(
      context, index,
      ResourceSamples(**answer, source.container, source.resource, context.numbers()));
}

Result<ResourceProposal> ByAmount(const Context& context, std::size_t index,
                                  const ResourceSource& source) {
  ASSIGN_OR_RETURN(Samples samples, SamplesOf(context, index, source));
  ASSIGN_OR_RETURN(MeasuredPods pods, MeasurePods(context, std::move(samples), source.resource));
  const AmountTarget target(context.numbers().Milli(*source.target.average_value),
                            context.numbers());
  ASSIGN_OR_RETURN(const PodsProposal proposal, ProposeForPods(context, std::move(pods), target));
  return ResourceProposal{proposal.replicas,
                          source.resource + " resource",
                          {{}, AverageOf(source.resource, proposal.usage), {}},
                          proposal.pods};
}

Result<ResourceProposal> ByUtilization(const Context& context, std::size_t index,
                                       const ResourceSource& source) {
  ASSIGN_OR_RETURN(Samples samples, SamplesOf(context, index, source));
  ASSIGN_OR_RETURN(MeasuredPods pods, MeasurePods(context, std::move(samples), source.resource));
  ASSIGN_OR_RETURN(Requests requests,
                   RequestsOf(context.pods, source.container, source.resource, context.quirks));
  const UtilizationTarget target(std::move(requests), *source.target.average_utilization,
                                 context.numbers());
  ASSIGN_OR_RETURN(const PodsProposal proposal, ProposeForPods(context, std::move(pods), target));
  return ResourceProposal{
      proposal.replicas,
      source.resource + source.kind + " utilization (percentage of request)",
      {{}, AverageOf(source.resource, proposal.usage), proposal.usage.utilization},
      proposal.pods};
}

Result<ResourceProposal> Compute(const Context& context, std::size_t index,
                                 const ResourceSource& source) {
  if (source.target.average_value) {
    auto proposal = ByAmount(context, index, source);
    return proposal.ok() ? proposal
                         : proposal.error().In("failed to get " + source.resource + " usage");
  }
  if (source.target.average_utilization) {
    auto proposal = ByUtilization(context, index, source);
    return proposal.ok() ? proposal
                         : proposal.error().In("failed to get " + source.resource + " utilization");
  }
  return Problem(
      "invalid resource metric source: neither an average utilization target nor an average value "
      "(usage) target was set");
}

}  // namespace

MetricOutcome ComputeResourceMetric(const Context& context, std::size_t index) {
  const auto& spec = *context.snapshot.autoscaler.spec.metrics[index].resource;
  auto result = Compute(context, index, {spec.name, "", " resource", spec.target});
  if (!result.ok()) {
    const std::string& cause = result.error().message;
    return MetricFailure{"FailedGetResourceMetric", cause,
                         "failed to get " + spec.name + " resource metric value: " + cause};
  }
  Proposal proposal{result->replicas, std::move(result->metric), {}, result->pods};
  proposal.status.type = "Resource";
  proposal.status.resource = spec.name;
  proposal.status.current = std::move(result->current);
  return proposal;
}

MetricOutcome ComputeContainerResourceMetric(const Context& context, std::size_t index) {
  const auto& spec = *context.snapshot.autoscaler.spec.metrics[index].container_resource;
  auto result =
      Compute(context, index, {spec.name, spec.container, " container resource", spec.target});
  if (!result.ok()) {
    const std::string& cause = result.error().message;
    return MetricFailure{"FailedGetContainerResourceMetric", cause,
                         "failed to get " + spec.container + " container metric value: " + cause};
  }
  Proposal proposal{result->replicas, std::move(result->metric), {}, result->pods};
  proposal.status.type = "ContainerResource";
  proposal.status.resource = spec.name;
  proposal.status.container = spec.container;
  proposal.status.current = std::move(result->current);
  return proposal;
}

}  // namespace ballast::engine
