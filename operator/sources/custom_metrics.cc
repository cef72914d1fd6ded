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

Result<engine::MetricAnswer> CustomMetrics::Fetch(const Query& query) {
  const Asked asked(query);
  auto answer = values_.Read(
      asked.Key(), query.freshness(), [&] { return RequestFor(asked); }, query.namespace_);
  if (answer.ok() && query.metric.pods && query.owned) {
    KeepOwned(query.pods, *answer);
  }
  return answer;
}

bool CustomMetrics::Prepare(const Query& query, const std::function<void()>& done) {
  const auto asked = std::make_shared<const Asked>(query);
  const Freshness fresh = query.freshness();
  if (query.metric.pods) {
    return PrepareValues(asked, fresh, done);
  }
  const api::CrossVersionObjectReference& object = asked->metric.object->described_object;
  if (DescribesNamespace(object) || mapper_.Knows(object.api_version, object.kind)) {
    return PrepareValues(asked, fresh, done);
  }
  const std::string kind = object.api_version + "\n" + object.kind;
  auto& kinds = kinds_.Of(kube::GroupOf(object.api_version));
  const auto find = [this, object] { return mapper_.Find(object.api_version, object.kind); };
  const auto go_on = [this, &kinds, asked, fresh, kind, find, done] {
    const Result<kube::Resource> found = kinds.Get(kind, fresh, find);
    return PrepareValues(asked, fresh, done,
                         found.ok() ? std::nullopt : std::optional(found.error()));
  };
  const auto on_found = [go_on, done] {
    if (go_on()) {
      done();
    }
  };
  return kinds.Prepare(kind, fresh, find, on_found, "") && go_on();  // for all namespaces
}

bool CustomMetrics::PrepareValues(const std::shared_ptr<const Asked>& asked, const Freshness& fresh,
                                  const std::function<void()>& done,
                                  const std::optional<Error>& failure) {
  return values_.Prepare(
      asked->Key(), fresh,
      [this, asked, failure]() -> Result<kube::Request> {
        return failure ? Result<kube::Request>(*failure) : RequestFor(*asked);
      },
      done, asked->namespace_);
}

kube::Resource CustomMetrics::Measured(std::string plural) {
  return {.group = "custom.metrics.k8s.io", .version = version_.Get(), .plural = std::move(plural)};
}

Result<kube::Request> CustomMetrics::RequestFor(const Asked& asked) {
  return asked.metric.pods ? RequestForPods(asked) : RequestForObject(asked);
}

Result<kube::Request> CustomMetrics::RequestForPods(const Asked& asked) {
  const api::MetricIdentifier& metric = asked.metric.pods->metric;
  kube::Request request;
  ASSIGN_OR_RETURN(request.path,
                   MetricPath(Measured("pods"), {asked.namespace_, "*"}, metric.name));
  if (!asked.selector.empty()) {
    request.query.emplace_back("labelSelector", asked.selector);
  }
  TRY(AddSelector(request, "metricLabelSelector", metric));
  return request;
}

Result<kube::Request> CustomMetrics::RequestForObject(const Asked& asked) {
  const api::MetricIdentifier& metric = asked.metric.object->metric;
  const api::CrossVersionObjectReference& object = asked.metric.object->described_object;
  kube::Request request;
  if (DescribesNamespace(object)) {
    ASSIGN_OR_RETURN(request.path,
                     kube::ObjectPath(Measured("metrics"), {asked.namespace_, metric.name}));
  } else {
    ASSIGN_OR_RETURN(const kube::Resource resource, mapper_.Find(object.api_version, object.kind));
    ASSIGN_OR_RETURN(request.path, MetricPath(Measured(resource.FullName()),
                                              {asked.namespace_, object.name}, metric.name));
  }
  TRY(AddSelector(request, "metricLabelSelector", metric));
  return request;
}

}  // namespace ballast::sources
