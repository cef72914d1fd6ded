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

Result<engine::MetricAnswer> ExternalMetrics::Fetch(const Query& query) {
  ASSIGN_OR_RETURN(const kube::Request request, RequestFor(query));
  return values_.Read(
      KeyOf(request), query.freshness(), [&] { return Result(request); }, query.namespace_);
}

bool ExternalMetrics::Prepare(const Query& query, const std::function<void()>& done) {
  const Result<kube::Request> request = RequestFor(query);
  return !request.ok() || values_.Prepare(
                              KeyOf(*request), query.freshness(), [request] { return request; },
                              done, query.namespace_);
}

}  // namespace ballast::sources
