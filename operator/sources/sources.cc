#include "operator/sources/sources.h"

namespace ballast::sources {

Result<engine::MetricAnswer> Sources::Fetch(const Query& query) {
  MetricSource* const source = SourceOf(query.metric);
  if (source == nullptr) {
    return Error{Code::kInvalid, "the metric names no source"};
  }
  return source->Fetch(query);
}

MetricSource* Sources::SourceOf(const api::MetricSpec& metric) {
  if (metric.resource || metric.container_resource) {
    return &resource_;
  }
  if (metric.pods || metric.object) {
    return &custom_;
  }
  return metric.external ? &external_ : nullptr;
}

}  // namespace ballast::sources
