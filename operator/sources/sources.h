// All metric sources behind one MetricSource, which picks the source by the metric's type.
//
// Thread-safety: OnPodMetrics and CountPods once, before the first Start; the rest: any thread.
// Errors: as source.h says; kInvalid also for a metric without a source.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "operator/kube/client.h"
#include "operator/kube/discovery.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"
#include "operator/sources/custom_metrics.h"
#include "operator/sources/external_metrics.h"
#include "operator/sources/prometheus_metrics.h"
#include "operator/sources/resource_metrics.h"
#include "operator/sources/source.h"
#include "operator/sources/source_metrics.h"

namespace ballast::sources {

class Sources final : public MetricSource {
 public:
  // The arguments must outlive the Sources.
  Sources(kube::Client& client, kube::Transport& transport, kube::RestMapper& mapper,
          const process::Clock& clock, const PodMetricsOptions& pod_metrics = {},
          const PrometheusOptions& prometheus = {}, const SourceMetrics& metrics = {})
      : resource_(client, clock, pod_metrics, metrics),
        custom_(transport, mapper, clock, metrics),
        external_(transport, clock, metrics),
        prometheus_(prometheus, clock, metrics) {}

  void CountPods(PodMetricsReader::PodCount count) { resource_.CountPods(std::move(count)); }
  void OnPodMetrics(ResourceMetrics::ReadHandler handler) { resource_.OnRead(std::move(handler)); }

  // As PodMetricsReader's.
  process::SteadyTime LookAtSamples() { return resource_.LookAtSamples(); }

  // How pods' resource metrics are requested.
  const PodMetricsReader& pod_metrics() const { return resource_.pods(); }

  // The state of each API's requests.
  std::vector<telemetry::MetricsApiDebugState> Apis() const;

  // kInvalid: the metric has no source.
  void Start(const Query& query, const Done& done) override;

 private:
  // Null: the metric has none.
  MetricSource* SourceOf(const api::MetricSpec& metric);

  ResourceMetrics resource_;
  CustomMetrics custom_;
  ExternalMetrics external_;
  PrometheusMetrics prometheus_;
};

}  // namespace ballast::sources
