// external.metrics.k8s.io: External metrics, with one request each.
//
// Thread-safety: any thread, as source.h says.
// Errors: as source.h says; kInvalid also for a metric name that cannot be part of a path.
#pragma once

#include "operator/kube/transport.h"
#include "operator/sources/source.h"

namespace ballast::sources {

class ExternalMetrics final : public MetricSource {
 public:
  // `transport` must outlive the ExternalMetrics.
  explicit ExternalMetrics(kube::Transport& transport) : transport_(transport) {}

  Result<engine::MetricAnswer> Fetch(const Query& query) override;

 private:
  kube::Transport& transport_;
};

}  // namespace ballast::sources
