// custom.metrics.k8s.io: Pods and Object metrics, one request each.
//
// Thread-safety and errors: see source.h.
#pragma once

#include "operator/kube/discovery.h"
#include "operator/kube/transport.h"
#include "operator/sources/source.h"

namespace ballast::sources {

class CustomMetrics final : public MetricSource {
 public:
  // Both must outlive this.
  CustomMetrics(kube::Transport& transport, kube::RestMapper& mapper)
      : transport_(transport), mapper_(mapper) {}

  // Of a Pods metric the values of `query.pods`; of an Object metric whatever the API has of the
  // object, which should be one.
  Result<engine::MetricAnswer> Fetch(const Query& query) override;

 private:
  Result<engine::MetricAnswer> FetchPods(const Query& query, const api::PodsMetricSource& source);
  Result<engine::MetricAnswer> FetchObject(const Query& query,
                                           const api::ObjectMetricSource& source);

  kube::Transport& transport_;
  kube::RestMapper& mapper_;
};

}  // namespace ballast::sources
