#include "operator/engine/metric/metric.h"

#include <string>

#include "api/autoscaling/metric_source.h"
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
  if (!context.quirks.takes_samples_of_any_time) {
    const api::MetricSpec& spec = context.snapshot.autoscaler.spec.metrics[index];
    if (const auto problem = ExplainMistiming(spec, answers[index], context.snapshot.now,
                                              LongestAge(spec, answers[index], context.settings))) {
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
  using Target = const api::MetricTarget*;
  return api::VisitSource(
      spec, api::SourceVisitor{[](const auto& source) -> Target { return &source.target; },
                               [](api::NoMetricSource) -> Target { return nullptr; }});
}

std::string IdentityOf(const api::MetricSpec& metric) {
  return api::VisitSource(
      metric,
      api::SourceVisitor{
          [](const api::ResourceMetricSource& resource) { return "Resource/" + resource.name; },
          [](const api::ContainerResourceMetricSource& resource) {
            return "ContainerResource/" + resource.container + "/" + resource.name;
          },
          [](const api::PodsMetricSource& pods) { return "Pods/" + PrintIdentifier(pods.metric); },
          [](const api::ObjectMetricSource& object) {
            return "Object/" + object.described_object.kind + "/" + object.described_object.name +
                   "/" + PrintIdentifier(object.metric);
          },
          [](const api::ExternalMetricSource& external) {
            return "External/" + PrintIdentifier(external.metric);
          },
          [](const api::PrometheusMetricSource& prometheus) {
            return "Prometheus/" + prometheus.source + "/" + prometheus.query;
          },
          [&](api::NoMetricSource) { return metric.type; }});
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
  if (spec.type == "Prometheus" && spec.prometheus && context.snapshot.autoscaler.is_policy()) {
    return ComputePrometheusMetric(context, index);
  }
  // Also a known type without its source, on which upstream crashes.
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

Samples WithoutMistimed(const Context& context, std::size_t index, Samples samples) {
  if (context.quirks.takes_samples_of_any_time) {
    return samples;
  }
  const SampleAge age = LongestAge(context.snapshot.autoscaler.spec.metrics[index],
                                   context.snapshot.metrics[index], context.settings);
  samples.RemoveIf([&](const Samples::Entry& sample) {
    return !Counts(sample.second.timestamp, context.snapshot.now, age);
  });
  return samples;
}

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
