// All metric sources, and the one place that knows which serves which type of metric.
//
// Thread-safety and errors: see source.h; OnPodMetrics is called once, before all else.
#pragma once

#include <utility>

#include "operator/kube/client.h"
#include "operator/kube/discovery.h"
#include "operator/kube/transport.h"
#include "operator/runtime/clock.h"
#include "operator/sources/custom_metrics.h"
#include "operator/sources/external_metrics.h"
#include "operator/sources/resource_metrics.h"
#include "operator/sources/source.h"

namespace ballast::sources {

class Sources final : public MetricSource {
 public:
  // All must outlive this.
  Sources(kube::Client& client, kube::Transport& transport, kube::RestMapper& mapper,
          const runtime::Clock& clock)
      : resource_(client, clock), custom_(transport, mapper), external_(transport) {}

  void OnPodMetrics(ResourceMetrics::ReadHandler handler) { resource_.OnRead(std::move(handler)); }

  // kInvalid: the metric names no source.
  Result<engine::MetricAnswer> Fetch(const Query& query) override;

 private:
  // Null: none.
  MetricSource* SourceOf(const api::MetricSpec& metric);

  ResourceMetrics resource_;
  CustomMetrics custom_;
  ExternalMetrics external_;
};

}  // namespace ballast::sources
