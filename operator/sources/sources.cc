#include "operator/sources/sources.h"

#include <utility>

#include "api/autoscaling/metric_source.h"

namespace ballast::sources {

void Sources::Start(const Query& query, const Done& done) {
  MetricSource* const source = SourceOf(query.metric);
  if (source == nullptr) {
    done(ForAll(Error{Code::kInvalid, "the metric names no source"}));
    return;
  }
  source->Start(query, done);
}

std::vector<telemetry::MetricsApiDebugState> Sources::Apis() const {
  std::vector<telemetry::MetricsApiDebugState> apis = {
      resource_.pods().DebugState(), custom_.DebugState(), external_.DebugState()};
  for (telemetry::MetricsApiDebugState& source : prometheus_.DebugState()) {
    apis.push_back(std::move(source));
  }
  return apis;
}

MetricSource* Sources::SourceOf(const api::MetricSpec& metric) {
  using Source = MetricSource*;
  return api::VisitSource(
      metric, api::SourceVisitor{
                  [&](const api::ResourceMetricSource&) -> Source { return &resource_; },
                  [&](const api::ContainerResourceMetricSource&) -> Source { return &resource_; },
                  [&](const api::PodsMetricSource&) -> Source { return &custom_; },
                  [&](const api::ObjectMetricSource&) -> Source { return &custom_; },
                  [&](const api::ExternalMetricSource&) -> Source { return &external_; },
                  [&](const api::PrometheusMetricSource&) -> Source { return &prometheus_; },
                  [](api::NoMetricSource) -> Source { return nullptr; }});
}

}  // namespace ballast::sources
