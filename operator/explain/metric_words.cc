#include "operator/explain/metric_words.h"

#include <cstdint>

#include "api/autoscaling/metric_source.h"
#include "operator/engine/metric/metric.h"

namespace ballast::explain {
namespace {

// "10.75" where Kubernetes writes 10750m.
std::string Plain(const Quantity& quantity) {
  std::string text = quantity.Print();
  if (!text.ends_with('m')) {
    return text;
  }
  constexpr std::int64_t kOne = 1000;
  const std::int64_t milli = quantity.MilliValue();
  const std::int64_t size = milli < 0 ? -milli : milli;
  text = std::to_string(kOne + size % kOne).substr(1);
  text.erase(text.find_last_not_of('0') + 1);
  return (milli < 0 ? "-" : "") + std::to_string(size / kOne) + "." + text;
}

}  // namespace

std::string NameOf(const api::MetricSpec& metric) {
  return api::VisitSource(
      metric,
      api::SourceVisitor{[](const api::ResourceMetricSource& resource) { return resource.name; },
                         [](const api::ContainerResourceMetricSource& resource) {
                           return resource.name + " of container " + resource.container;
                         },
                         [](const api::PrometheusMetricSource& prometheus) {
                           return "the query of " + prometheus.source;
                         },
                         [](const auto& custom) { return custom.metric.name; },
                         [&](api::NoMetricSource) { return metric.type; }});
}

std::string Figure(const api::MetricValueStatus& value) {
  if (value.average_utilization) {
    return std::to_string(*value.average_utilization) + "%";
  }
  if (value.average_value) {
    return Plain(*value.average_value) + " a pod";
  }
  return value.value ? Plain(*value.value) : "";
}

std::string FigureOfTarget(const api::MetricSpec& metric) {
  const api::MetricTarget* target = engine::TargetOf(metric);
  return target == nullptr
             ? ""
             : Figure({target->value, target->average_value, target->average_utilization});
}

}  // namespace ballast::explain
