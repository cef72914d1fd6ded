// external.metrics.k8s.io: External metrics, one request each.
//
// Thread-safety and errors: see source.h.
#pragma once

#include "operator/kube/transport.h"
#include "operator/sources/source.h"

namespace ballast::sources {

class ExternalMetrics final : public MetricSource {
 public:
  // `transport` must outlive this.
  explicit ExternalMetrics(kube::Transport& transport) : transport_(transport) {}

  Result<engine::MetricAnswer> Fetch(const Query& query) override;

 private:
  kube::Transport& transport_;
};

}  // namespace ballast::sources
