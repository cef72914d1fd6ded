#include "operator/sources/external_metrics.h"

#include "operator/kube/path.h"

namespace ballast::sources {

namespace {

Result<kube::Request> RequestFor(const Query& query) {
  const api::MetricIdentifier& metric = query.metric.external->metric;
  kube::Request request;
  ASSIGN_OR_RETURN(request.path, (kube::Path() / "apis" / "external.metrics.k8s.io" / "v1beta1" /
                                  "namespaces" / query.namespace_ / metric.name)
                                     .Checked());
  TRY(AddSelector(request, "labelSelector", metric));
  return request;
}

}  // namespace

void ExternalMetrics::Start(const Query& query, const Done& done) {
  const Result<kube::Request> request = RequestFor(query);
  if (!request.ok()) {
    done(ForAll(request.error()));
    return;
  }
  values_.Start(
      KeyOf(*request), query.freshness(), [request] { return request; }, query.namespace_,
      [done](const ValuesReader::AnswerPointer& values) {
        done([values](const TargetPods&) { return *values; });
      });
}

}  // namespace ballast::sources
