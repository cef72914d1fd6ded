// The source of a metric, whatever kind it is: the one place that knows which kinds there are. A
// visitor that lacks one does not compile.
//
//   VisitSource(metric, SourceVisitor{[](const PodsMetricSource& pods) { ... },
//                               [](const auto& other) { ... },
//                               [](NoMetricSource) { ... }});
#pragma once

#include "api/autoscaling/types.h"

namespace ballast::api {

// Whether metrics.k8s.io, the resource metrics API, serves it: usage of CPU or memory by pods.
inline bool IsResourceMetric(const MetricSpec& metric) {
  return metric.resource || metric.container_resource;
}

// In place of a source that an invalid spec lacks.
struct NoMetricSource {};

template <typename... Visitors>
struct SourceVisitor : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
SourceVisitor(Visitors...) -> SourceVisitor<Visitors...>;

// Calls `visit` with the source of `metric`; of several, in an invalid spec, with the first in this
// order.
template <typename Visitor>
auto VisitSource(const MetricSpec& metric, const Visitor& visit) {
  if (metric.resource) {
    return visit(*metric.resource);
  }
  if (metric.container_resource) {
    return visit(*metric.container_resource);
  }
  if (metric.pods) {
    return visit(*metric.pods);
  }
  if (metric.object) {
    return visit(*metric.object);
  }
  if (metric.external) {
    return visit(*metric.external);
  }
  if (metric.prometheus) {
    return visit(*metric.prometheus);
  }
  return visit(NoMetricSource());
}

}  // namespace ballast::api
