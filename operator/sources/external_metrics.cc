#include "operator/sources/external_metrics.h"

#include "operator/kube/path.h"

namespace ballast::sources {

Result<engine::MetricAnswer> ExternalMetrics::Fetch(const Query& query) {
  const api::MetricIdentifier& metric = query.metric.external->metric;
  kube::Request request;
  ASSIGN_OR_RETURN(request.path, (kube::Path() / "apis" / "external.metrics.k8s.io" / "v1beta1" /
                                  "namespaces" / query.namespace_ / metric.name)
                                     .Checked());
  TRY(AddSelector(request, "labelSelector", metric));
  return values_.Read(request, query.max_age());
}

}  // namespace ballast::sources
