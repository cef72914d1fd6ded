// external.metrics.k8s.io: External metrics, with one request for all equal ones of about the same
// moment.
//
// Thread-safety: any thread, as source.h says.
// Errors: as source.h says; kInvalid also for a metric name that cannot be part of a path.
#pragma once

#include "operator/kube/transport.h"
#include "operator/process/clock.h"
#include "operator/sources/metric_request.h"
#include "operator/sources/source.h"

namespace ballast::sources {

class ExternalMetrics final : public MetricSource {
 public:
  // The arguments must outlive the ExternalMetrics.
  ExternalMetrics(kube::Transport& transport, const process::Clock& clock,
                  const SourceMetrics& metrics = {})
      : values_("external.metrics.k8s.io", transport, clock, metrics) {}

  void Start(const Query& query, const Done& done) override;

  telemetry::MetricsApiDebugState DebugState() const { return values_.DebugState(); }

 private:
  ValuesReader values_;
};

}  // namespace ballast::sources
