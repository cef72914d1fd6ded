#include "operator/engine/metric/metric.h"

#include "operator/engine/go/quote.h"
#include "operator/engine/metric/sample_age.h"

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
  if (!context.quirks.takes_stale_samples) {
    if (const auto problem =
            ExplainStaleness(answers[index], context.snapshot.now, context.settings.stale_after)) {
      return Problem("metrics from " + where + " are not usable: " + *problem);
    }
  }
  return list;
}

std::string PrintIdentifier(const api::MetricIdentifier& metric) {
  return metric.name + (metric.selector ? Print(metric.selector) : "");
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

std::string IdentityOf(const api::MetricSpec& metric) {
  if (metric.resource) {
    return "Resource/" + metric.resource->name;
  }
  if (metric.container_resource) {
    return "ContainerResource/" + metric.container_resource->container + "/" +
           metric.container_resource->name;
  }
  if (metric.pods) {
    return "Pods/" + PrintIdentifier(metric.pods->metric);
  }
  if (metric.object) {
    const auto& object = metric.object->described_object;
    return "Object/" + object.kind + "/" + object.name + "/" +
           PrintIdentifier(metric.object->metric);
  }
  return metric.external ? "External/" + PrintIdentifier(metric.external->metric) : metric.type;
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
