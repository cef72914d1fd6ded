// custom.metrics.k8s.io: Pods and Object metrics, with one request for all equal ones of about the
// same moment.
//
// Which version to ask, and which resource serves the kind of a described object, are found out on
// the threads that wait for the API, or on those for discovery: a group whose discovery hangs
// delays only the autoscalers of its objects.
//
// Thread-safety: any thread, as source.h says.
// Errors: as source.h says; kInvalid also for a metric name that cannot be part of a path.
#pragma once

#include <memory>
#include <string>

#include "operator/kube/discovery.h"
#include "operator/kube/resource.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"
#include "operator/sources/by_api.h"
#include "operator/sources/custom_metrics_version.h"
#include "operator/sources/metric_request.h"
#include "operator/sources/shared_answers.h"
#include "operator/sources/source.h"

namespace ballast::sources {

class CustomMetrics final : public MetricSource {
 public:
  // The arguments must outlive the CustomMetrics.
  CustomMetrics(kube::Transport& transport, kube::RestMapper& mapper, const process::Clock& clock,
                const SourceMetrics& metrics = {})
      : mapper_(mapper),
        version_(transport, clock),
        values_("custom.metrics.k8s.io", transport, clock, metrics),
        kinds_(clock) {}

  // For a Pods metric the values of the target's pods. For an Object metric all values that the API
  // returns for the object; there should be one.
  void Start(const Query& query, const Done& done) override;

  telemetry::MetricsApiDebugState DebugState() const { return values_.DebugState(); }

 private:
  // What a query asks the API for; equal ones are one request.
  struct Asked {
    explicit Asked(const Query& query);
    std::string Key() const;

    api::MetricSpec metric;
    std::string namespace_;
    std::string selector;
  };

  // `measured`: the metrics API's collection that is named after the measured resource ("pods",
  // "ingresses.networking.k8s.io").
  void StartValues(const std::shared_ptr<const Asked>& asked, const std::string& measured,
                   const Freshness& fresh, const Done& done);
  Result<kube::Request> RequestFor(const Asked& asked, const std::string& measured);
  static Result<kube::Request> RequestForPods(const Asked& asked, const kube::Resource& of);
  static Result<kube::Request> RequestForObject(const Asked& asked, const kube::Resource& of);

  kube::RestMapper& mapper_;
  CustomMetricsVersion version_;
  ValuesReader values_;
  // Of described objects, by their groups; last: its threads use the rest.
  ByApi<SharedAnswers<kube::Resource>> kinds_;
};

}  // namespace ballast::sources
