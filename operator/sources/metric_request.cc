#include "operator/sources/metric_request.h"

#include "api/json/json.h"
#include "api/kubernetes/label_selector.h"
#include "api/kubernetes/metrics_apis.h"

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

Result<engine::MetricAnswer> ReadValues(kube::Transport& transport, const kube::Request& request) {
  ASSIGN_OR_RETURN(const kube::Response response, transport.Do(request));
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(response.body));
  json::Decoder decoder(document);
  engine::MetricValueList values;
  for (const json::Cursor& item : decoder.root().Required("items").Elements()) {
    api::Decode(item, values.emplace_back());
  }
  TRY(decoder.status());
  return engine::MetricAnswer(std::move(values));
}

}  // namespace ballast::sources
