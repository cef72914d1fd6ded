#include "operator/sources/metric_request.h"

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

namespace {

Result<engine::MetricAnswer> Ask(kube::Transport& transport, kube::Request request) {
  request.timeout = kDeadline;
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

}  // namespace

Result<engine::MetricAnswer> ValuesReader::Read(const kube::Request& request,
                                                const Freshness& fresh) {
  return answers_.Get(KeyOf(request), fresh, [&] { return Ask(transport_, request); });
}

bool ValuesReader::Prepare(const kube::Request& request, const Freshness& fresh,
                           const std::function<void()>& done) {
  return answers_.Prepare(
      KeyOf(request), fresh, [this, request] { return Ask(transport_, request); }, done);
}

}  // namespace ballast::sources
