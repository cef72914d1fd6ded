// The custom and external metrics APIs (custom.metrics.k8s.io, external.metrics.k8s.io): one
// request for one metric of one autoscaler, as the reference's section 1.13 has the paths.
//
// Thread-safety: any thread. Errors are the API server's; kNotFound also when the adapter is not
// installed.
#pragma once

#include <string>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/decision/snapshot.h"
#include "api/kubernetes/label_selector.h"
#include "operator/kube/discovery.h"
#include "operator/kube/transport.h"

namespace ballast::sources {

class MetricValuesReader {
 public:
  // Both must outlive this.
  MetricValuesReader(kube::Transport& transport, kube::RestMapper& mapper)
      : transport_(transport), mapper_(mapper) {}

  // The metric of each pod that `pods` selects.
  Result<engine::MetricValueList> OfPods(const std::string& namespace_, const std::string& pods,
                                         const api::PodsMetricSource& source);
  // The metric of the described object; the caller checks that there is exactly one value.
  Result<engine::MetricValueList> OfObject(const std::string& namespace_,
                                           const api::ObjectMetricSource& source);
  Result<engine::MetricValueList> External(const std::string& namespace_,
                                           const api::ExternalMetricSource& source);

 private:
  Result<engine::MetricValueList> Read(const kube::Request& request);

  kube::Transport& transport_;
  kube::RestMapper& mapper_;
};

}  // namespace ballast::sources
