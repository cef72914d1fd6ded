#include "operator/sources/metric_request.h"

#include <optional>
#include <variant>

#include "api/json/json.h"
#include "api/kubernetes/label_selector.h"
#include "api/kubernetes/metrics_apis.h"
#include "operator/sources/source.h"

namespace ballast::sources {

Status AddSelector(kube::Request& request, const char* name, const api::MetricIdentifier& metric) {
  if (!metric.selector) {
    return Done{};
  }
  ASSIGN_OR_RETURN(const api::Selector selector, api::ToSelector(*metric.selector));
  if (std::string text = selector.Print(); !text.empty()) {
    request.query.emplace_back(name, std::move(text));
  }
  return Done{};
}

std::string KeyOf(const kube::Request& request) {
  std::string key = request.path;
  for (const auto& [name, value] : request.query) {
    key += "\n" + name + "=" + value;
  }
  return key;
}

std::size_t BytesOf(const engine::MetricAnswer& answer) {
  constexpr std::size_t kNode = 64;  // of a map, beside what is in it
  const auto* values = std::get_if<engine::MetricValueList>(&answer);
  std::size_t bytes = sizeof answer;
  if (values != nullptr) {
    for (const api::MetricValue& value : *values) {
      bytes += sizeof value + value.described_object.size() + value.metric_name.size();
      for (const auto& label : value.metric_labels) {
        bytes += kNode + sizeof label + label.first.size() + label.second.size();
      }
    }
  }
  return bytes;
}

namespace {

Result<engine::MetricAnswer> ReadValues(const kube::Response& response) {
  ASSIGN_OR_RETURN(const json::Document document,
                   kube::ParseAnswer(response.body, kube::kMetricValues));
  json::Decoder decoder(document);
  engine::MetricValueList values;
  for (const json::Cursor& item : decoder.root().Required("items").Elements()) {
    api::Decode(item, values.emplace_back());
  }
  TRY(decoder.status());
  return engine::MetricAnswer(std::move(values));
}

}  // namespace

Result<engine::MetricAnswer> ValuesReader::Ask(const std::string& key, const Make& make,
                                               const std::string& namespace_) {
  Result<kube::Request> request = make();
  if (!request.ok()) {
    answers_.Skip(namespace_, key);
    return request.error();
  }
  request->timeout = kDeadline;
  request->limit = kube::kMetricValues;
  return answers_.Call(namespace_, key, [&] { return Send(*request); });
}

Result<engine::MetricAnswer> ValuesReader::Send(const kube::Request& request) {
  const process::SteadyTime began = clock_.Steady();
  const auto response = transport_.Do(request);
  auto values = response.ok() ? ReadValues(*response) : response.error();
  metrics_.Record(api_, values.ok() ? std::nullopt : std::optional(values.error()), began, clock_);
  return values;
}

void ValuesReader::Start(const std::string& key, const Freshness& fresh, const Make& make,
                         const std::string& namespace_, Done done) {
  answers_.Start(
      key, fresh, [this, key, make, namespace_] { return Ask(key, make, namespace_); }, namespace_,
      std::move(done));
}

}  // namespace ballast::sources
