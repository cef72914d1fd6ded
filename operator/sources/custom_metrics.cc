#include "operator/sources/custom_metrics.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "api/json/json_writer.h"
#include "api/kubernetes/label_selector.h"
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

bool DescribesNamespace(const api::CrossVersionObjectReference& object) {
  return kube::GroupOf(object.api_version).empty() && object.kind == "Namespace";
}

}  // namespace

CustomMetrics::Asked::Asked(const Query& query)
    : metric(query.metric), namespace_(query.namespace_) {
  if (metric.pods) {
    selector = query.selector;
  }
}

std::string CustomMetrics::Asked::Key() const {
  const api::MetricIdentifier& identifier =
      metric.pods ? metric.pods->metric : metric.object->metric;
  json::Writer key;
  key.Array([&] {
    key.Value(namespace_);
    key.Value(identifier.name);
    if (identifier.selector) {
      // One that is not valid is refused before anything is asked.
      const auto labels = api::ToSelector(*identifier.selector);
      key.Value(labels.ok() ? labels->Print() : labels.error().message);
    } else {
      key.Value("");
    }
    key.Value(selector);
    if (metric.object) {
      const api::CrossVersionObjectReference& object = metric.object->described_object;
      key.Value(object.api_version);
      key.Value(object.kind);
      key.Value(object.name);
    }
  });
  return key.Take();
}

void CustomMetrics::Start(const Query& query, const Done& done) {
  const auto asked = std::make_shared<const Asked>(query);
  const Freshness fresh = query.freshness();
  if (query.metric.pods) {
    StartValues(asked, "pods", fresh, done);
    return;
  }
  const api::CrossVersionObjectReference& object = asked->metric.object->described_object;
  if (DescribesNamespace(object)) {
    StartValues(asked, "metrics", fresh, done);
    return;
  }
  if (const auto known = mapper_.FindAtOnce(object.api_version, object.kind)) {
    known->ok() ? StartValues(asked, (**known)->FullName(), fresh, done)
                : done(ForAll(known->error()));
    return;
  }
  kinds_.Of(kube::GroupOf(object.api_version))
      .Start(
          object.api_version + "\n" + object.kind, fresh,
          [this, object] { return mapper_.Find(object.api_version, object.kind); },
          "",  // for all namespaces
          [this, asked, fresh, done](const auto& found) {
            found->ok() ? StartValues(asked, (*found)->FullName(), fresh, done)
                        : done(ForAll(found->error()));
          });
}

void CustomMetrics::StartValues(const std::shared_ptr<const Asked>& asked,
                                const std::string& measured, const Freshness& fresh,
                                const Done& done) {
  values_.Start(
      asked->Key(), fresh, [this, asked, measured] { return RequestFor(*asked, measured); },
      asked->namespace_,
      [asked, done](const ValuesReader::AnswerPointer& values) {
        done([asked, values](const TargetPods& pods) {
          Result<engine::MetricAnswer> answer = *values;
          if (answer.ok() && asked->metric.pods && pods.owned) {
            KeepOwned(pods.pods, *answer);
          }
          return answer;
        });
      });
}

Result<kube::Request> CustomMetrics::RequestFor(const Asked& asked, const std::string& measured) {
  const kube::Resource of{
      .group = "custom.metrics.k8s.io", .version = version_.Get(), .plural = measured};
  return asked.metric.pods ? RequestForPods(asked, of) : RequestForObject(asked, of);
}

Result<kube::Request> CustomMetrics::RequestForPods(const Asked& asked, const kube::Resource& of) {
  const api::MetricIdentifier& metric = asked.metric.pods->metric;
  kube::Request request;
  ASSIGN_OR_RETURN(request.path, MetricPath(of, {asked.namespace_, "*"}, metric.name));
  if (!asked.selector.empty()) {
    request.query.emplace_back("labelSelector", asked.selector);
  }
  TRY(AddSelector(request, "metricLabelSelector", metric));
  return request;
}

Result<kube::Request> CustomMetrics::RequestForObject(const Asked& asked,
                                                      const kube::Resource& of) {
  const api::MetricIdentifier& metric = asked.metric.object->metric;
  const api::CrossVersionObjectReference& object = asked.metric.object->described_object;
  kube::Request request;
  if (DescribesNamespace(object)) {
    ASSIGN_OR_RETURN(request.path, kube::ObjectPath(of, {asked.namespace_, metric.name}));
  } else {
    ASSIGN_OR_RETURN(request.path, MetricPath(of, {asked.namespace_, object.name}, metric.name));
  }
  TRY(AddSelector(request, "metricLabelSelector", metric));
  return request;
}

}  // namespace ballast::sources
