#include "operator/sources/metric_values.h"

#include <utility>

#include "api/json/json.h"
#include "operator/kube/path.h"
#include "operator/kube/resource.h"

namespace ballast::sources {
namespace {

const kube::Resource kCustomMetrics{.group = "custom.metrics.k8s.io", .version = "v1beta2"};

// A collection of the metrics API named after what is measured ("pods",
// "ingresses.networking.k8s.io").
kube::Resource Measured(kube::Resource api, std::string plural) {
  api.plural = std::move(plural);
  return api;
}

// The label selector as the metrics APIs take it; an absent one selects everything there.
Result<std::string> SelectorText(const api::MetricIdentifier& metric) {
  if (!metric.selector) {
    return std::string();
  }
  ASSIGN_OR_RETURN(const api::Selector selector, api::ToSelector(*metric.selector));
  return selector.Print();
}

// The path of that metric of an object; a metric without a name would be the object itself.
Result<std::string> MetricPath(const kube::Resource& measured, const api::ObjectKey& key,
                               const std::string& metric) {
  if (metric.empty()) {
    return Error{Code::kInvalid, "\"\" cannot be a name in a path"};
  }
  return kube::ObjectPath(measured, key, metric);
}

void AddQuery(kube::Request& request, const char* name, std::string value) {
  if (!value.empty()) {
    request.query.emplace_back(name, std::move(value));
  }
}

}  // namespace

Result<engine::MetricValueList> MetricValuesReader::OfPods(const std::string& namespace_,
                                                           const std::string& pods,
                                                           const api::PodsMetricSource& source) {
  kube::Request request;
  ASSIGN_OR_RETURN(request.path, MetricPath(Measured(kCustomMetrics, "pods"), {namespace_, "*"},
                                            source.metric.name));
  AddQuery(request, "labelSelector", pods);
  ASSIGN_OR_RETURN(std::string selector, SelectorText(source.metric));
  AddQuery(request, "metricLabelSelector", std::move(selector));
  return Read(request);
}

Result<engine::MetricValueList> MetricValuesReader::OfObject(
    const std::string& namespace_, const api::ObjectMetricSource& source) {
  const api::CrossVersionObjectReference& object = source.described_object;
  const std::string group = kube::GroupOf(object.api_version);
  kube::Request request;
  if (group.empty() && object.kind == "Namespace") {
    ASSIGN_OR_RETURN(request.path, kube::ObjectPath(Measured(kCustomMetrics, "metrics"),
                                                    {namespace_, source.metric.name}));
  } else {
    ASSIGN_OR_RETURN(const kube::Resource resource, mapper_.Find(object.api_version, object.kind));
    ASSIGN_OR_RETURN(request.path, MetricPath(Measured(kCustomMetrics, resource.FullName()),
                                              {namespace_, object.name}, source.metric.name));
  }
  ASSIGN_OR_RETURN(std::string selector, SelectorText(source.metric));
  AddQuery(request, "metricLabelSelector", std::move(selector));
  return Read(request);
}

Result<engine::MetricValueList> MetricValuesReader::External(
    const std::string& namespace_, const api::ExternalMetricSource& source) {
  kube::Request request;
  ASSIGN_OR_RETURN(request.path, (kube::Path() / "apis" / "external.metrics.k8s.io" / "v1beta1" /
                                  "namespaces" / namespace_ / source.metric.name)
                                     .Checked());
  ASSIGN_OR_RETURN(std::string selector, SelectorText(source.metric));
  AddQuery(request, "labelSelector", std::move(selector));
  return Read(request);
}

Result<engine::MetricValueList> MetricValuesReader::Read(const kube::Request& request) {
  ASSIGN_OR_RETURN(const kube::Response response, transport_.Do(request));
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(response.body));
  json::Decoder decoder(document);
  engine::MetricValueList values;
  for (const json::Cursor& item : decoder.root().Required("items").Elements()) {
    api::Decode(item, values.emplace_back());
  }
  TRY(decoder.status());
  return values;
}

}  // namespace ballast::sources
