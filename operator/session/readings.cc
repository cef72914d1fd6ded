#include "operator/session/readings.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "api/autoscaling/metric_source.h"
#include "operator/engine/metric/metric.h"
#include "operator/engine/metric/samples.h"

namespace ballast::session {
namespace {

// The value that is compared with the target, in thousandths.
std::optional<std::int64_t> Figure(const api::MetricValueStatus& current) {
  if (current.average_utilization) {
    return std::int64_t{*current.average_utilization} * 1000;
  }
  if (current.average_value) {
    return current.average_value->MilliValue();
  }
  return current.value ? std::optional(current.value->MilliValue()) : std::nullopt;
}

// The status may still be about an earlier spec.
bool IsAbout(const api::MetricStatus& status, const api::MetricSpec& metric) {
  const std::string& resource = status.resource;
  const std::string name = status.metric ? status.metric->name : "";
  return status.type == metric.type &&
         api::VisitSource(
             metric,
             api::SourceVisitor{
                 [&](const api::ResourceMetricSource& source) { return source.name == resource; },
                 [&](const api::ContainerResourceMetricSource& source) {
                   return source.name == resource && source.container == status.container;
                 },
                 [&](const api::PrometheusMetricSource& source) {
                   return source.source == status.source;
                 },
                 [&](const auto& custom) { return custom.metric.name == name; },
                 [](api::NoMetricSource) { return false; }});
}

store::Reading EmptyReading(const api::MetricSpec& metric) {
  const api::MetricTarget* target = engine::TargetOf(metric);
  return {engine::IdentityOf(metric), target == nullptr ? "" : target->type, std::nullopt,
          std::nullopt};
}

}  // namespace

std::vector<store::Reading> ReadingsOf(const engine::Snapshot& snapshot,
                                       const engine::Decision& decision) {
  const auto& specs = snapshot.autoscaler.spec.metrics;
  const auto& statuses = decision.status.current_metrics;
  std::vector<store::Reading> readings;
  readings.reserve(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    store::Reading reading = EmptyReading(specs[i]);
    // Without an answer the status has the value of an earlier evaluation.
    if (i < snapshot.metrics.size() &&
        !std::holds_alternative<engine::Failure>(snapshot.metrics[i])) {
      reading.sampled = engine::NewestTimestamp(snapshot.metrics[i]);
      if (i < statuses.size()) {
        reading.milli = Figure(statuses[i].current);
      }
    }
    readings.push_back(std::move(reading));
  }
  return readings;
}

std::vector<store::Reading> ReadingsOf(const api::Autoscaler& autoscaler) {
  const auto& statuses = autoscaler.status.current_metrics;
  std::vector<store::Reading> readings;
  for (const api::MetricSpec& metric : autoscaler.spec.metrics) {
    store::Reading& reading = readings.emplace_back(EmptyReading(metric));
    const std::size_t at = readings.size() - 1;
    if (at < statuses.size() && IsAbout(statuses[at], metric)) {
      reading.milli = Figure(statuses[at].current);
    }
  }
  return readings;
}

}  // namespace ballast::session
