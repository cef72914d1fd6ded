#include "operator/sources/custom_metrics.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "operator/kube/path.h"
#include "operator/kube/resource.h"

namespace ballast::sources {
namespace {

// The path of an object's metric. Without a metric name it would be the path of the object itself.
Result<std::string> MetricPath(const kube::Resource& measured, const api::ObjectKey& key,
                               const std::string& metric) {
  if (metric.empty()) {
    return Error{Code::kInvalid, "\"\" cannot be a name in a path"};
  }
  return kube::ObjectPath(measured, key, metric);
}

// The API selects by label selector only, so the values of pods that the target does not own are
// dropped here.
void KeepOwned(const engine::PodList& pods, engine::MetricAnswer& answer) {
  const auto name = [](const auto& pod) -> std::string_view { return pod->metadata.name; };
  std::erase_if(std::get<engine::MetricValueList>(answer), [&](const api::MetricValue& value) {
    return !std::ranges::binary_search(pods, std::string_view(value.described_object), {}, name);
  });
}

}  // namespace

Result<engine::MetricAnswer> CustomMetrics::Fetch(const Query& query) {
  ASSIGN_OR_RETURN(const kube::Request request, RequestFor(query));
  auto answer = values_.Read(request, query.freshness());
  if (answer.ok() && query.metric.pods && query.owned) {
    KeepOwned(query.pods, *answer);
  }
  return answer;
}

bool CustomMetrics::Prepare(const Query& query, const std::function<void()>& done) {
  const Result<kube::Request> request = RequestFor(query);
  return !request.ok() || values_.Prepare(*request, query.freshness(), done);
}

kube::Resource CustomMetrics::Measured(std::string plural) {
  return {.group = "custom.metrics.k8s.io", .version = version_.Get(), .plural = std::move(plural)};
}

Result<kube::Request> CustomMetrics::RequestFor(const Query& query) {
  return query.metric.pods ? RequestForPods(query, *query.metric.pods)
                           : RequestForObject(query, *query.metric.object);
}

Result<kube::Request> CustomMetrics::RequestForPods(const Query& query,
                                                    const api::PodsMetricSource& source) {
  kube::Request request;
  ASSIGN_OR_RETURN(request.path,
                   MetricPath(Measured("pods"), {query.namespace_, "*"}, source.metric.name));
  if (!query.selector.empty()) {
    request.query.emplace_back("labelSelector", query.selector);
  }
  TRY(AddSelector(request, "metricLabelSelector", source.metric));
  return request;
}

Result<kube::Request> CustomMetrics::RequestForObject(const Query& query,
                                                      const api::ObjectMetricSource& source) {
  const api::CrossVersionObjectReference& object = source.described_object;
  kube::Request request;
  if (kube::GroupOf(object.api_version).empty() && object.kind == "Namespace") {
    ASSIGN_OR_RETURN(request.path,
                     kube::ObjectPath(Measured("metrics"), {query.namespace_, source.metric.name}));
  } else {
    ASSIGN_OR_RETURN(const kube::Resource resource, mapper_.Find(object.api_version, object.kind));
    ASSIGN_OR_RETURN(request.path, MetricPath(Measured(resource.FullName()),
                                              {query.namespace_, object.name}, source.metric.name));
  }
  TRY(AddSelector(request, "metricLabelSelector", source.metric));
  return request;
}

}  // namespace ballast::sources
