// custom.metrics.k8s.io: Pods and Object metrics, with one request for all equal ones of about the
// same moment.
//
// Thread-safety: any thread, as source.h says.
// Errors: as source.h says; kInvalid also for a metric name that cannot be part of a path.
#pragma once

#include "operator/kube/discovery.h"
#include "operator/kube/resource.h"
#include "operator/kube/transport.h"
#include "operator/runtime/clock.h"
#include "operator/sources/custom_metrics_version.h"
#include "operator/sources/metric_request.h"
#include "operator/sources/source.h"

namespace ballast::sources {

class CustomMetrics final : public MetricSource {
 public:
  // The arguments must outlive the CustomMetrics.
  CustomMetrics(kube::Transport& transport, kube::RestMapper& mapper, const runtime::Clock& clock)
      : mapper_(mapper),
        version_(transport, clock),
        values_("custom.metrics.k8s.io", transport, clock) {}

  // For a Pods metric the values of `query.pods`. For an Object metric all values that the API
  // returns for the object; there should be one.
  Result<engine::MetricAnswer> Fetch(const Query& query) override;
  bool Prepare(const Query& query, const std::function<void()>& done) override;

  telemetry::MetricsApiInside Inside() const { return values_.Inside(); }

 private:
  Result<kube::Request> RequestFor(const Query& query);
  Result<kube::Request> RequestForPods(const Query& query, const api::PodsMetricSource& source);
  Result<kube::Request> RequestForObject(const Query& query, const api::ObjectMetricSource& source);

  // The metrics API's collection that is named after the measured resource ("pods",
  // "ingresses.networking.k8s.io").
  kube::Resource Measured(std::string plural);

  kube::RestMapper& mapper_;
  CustomMetricsVersion version_;
  ValuesReader values_;
};

}  // namespace ballast::sources
