#include "operator/engine/metric/metric.h"

#include "operator/engine/go/quote.h"

namespace ballast::engine {
namespace {

template <typename List>
Result<const List*> AnyAnswerFor(const Context& context, std::size_t index, std::string_view api) {
  const std::string where = std::string(api) + " metrics API";
  const auto& answers = context.snapshot.metrics;
  if (index >= answers.size()) {
    return Problem("unable to fetch metrics from " + where + ": there is no answer");
  }
  if (const auto* failure = std::get_if<Failure>(&answers[index])) {
    return Problem("unable to fetch metrics from " + where + ": " + failure->message);
  }
  const auto* list = std::get_if<List>(&answers[index]);
  if (list == nullptr) {
    return Problem("unable to fetch metrics from " + where + ": the answer is one of another API");
  }
  if (const auto problem = context.rules.Distrust(context.snapshot, answers[index])) {
    return Problem("metrics from " + where + " are not usable: " + *problem);
  }
  return list;
}

}  // namespace

const api::MetricTarget* TargetOf(const api::MetricSpec& spec) {
  if (spec.resource) {
    return &spec.resource->target;
  }
  if (spec.container_resource) {
    return &spec.container_resource->target;
  }
  if (spec.pods) {
    return &spec.pods->target;
  }
  if (spec.object) {
    return &spec.object->target;
  }
  return spec.external ? &spec.external->target : nullptr;
}

MetricOutcome ComputeMetric(const Context& context, std::size_t index) {
  const api::MetricSpec& spec = context.snapshot.autoscaler.spec.metrics[index];
  if (spec.type == "Resource" && spec.resource) {
    return ComputeResourceMetric(context, index);
  }
  if (spec.type == "ContainerResource" && spec.container_resource) {
    return ComputeContainerResourceMetric(context, index);
  }
  if (spec.type == "Pods" && spec.pods) {
    return ComputePodsMetric(context, index);
  }
  if (spec.type == "Object" && spec.object) {
    return ComputeObjectMetric(context, index);
  }
  if (spec.type == "External" && spec.external) {
    return ComputeExternalMetric(context, index);
  }
  // Also a known type without its source, which upstream does not survive.
  const std::string message = "unknown metric source type " + go::Quote(spec.type);
  return MetricFailure{"InvalidMetricSourceType", message, message};
}

template <typename List>
Result<const List*> AnswerFor(const Context& context, std::size_t index, std::string_view api) {
  ASSIGN_OR_RETURN(const List* list, AnyAnswerFor<List>(context, index, api));
  if (list->empty()) {
    return Problem("no metrics returned from " + std::string(api) + " metrics API");
  }
  return list;
}

Result<const api::MetricValue*> SingleAnswerFor(const Context& context, std::size_t index) {
  ASSIGN_OR_RETURN(const MetricValueList* list,
                   AnyAnswerFor<MetricValueList>(context, index, "custom"));
  if (list->size() != 1) {
    return Problem(
        "unable to fetch metrics from custom metrics API: the custom metrics API server returned " +
        std::to_string(list->size()) + " results when we asked for exactly one");
  }
  return &list->front();
}

template Result<const PodMetricsList*> AnswerFor(const Context&, std::size_t, std::string_view);
template Result<const MetricValueList*> AnswerFor(const Context&, std::size_t, std::string_view);

std::string Print(const std::optional<api::LabelSelector>& selector) {
  return selector ? api::GoString(*selector) : "nil";
}

std::string ExternalName(const api::MetricIdentifier& metric) {
  return "external metric " + metric.name + "(" + Print(metric.selector) + ")";
}

Status CheckSelector(const std::optional<api::LabelSelector>& selector) {
  if (selector) {
    TRY(api::ToSelector(*selector));
  }
  return Done{};
}

}  // namespace ballast::engine
