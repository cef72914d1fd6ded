#include "operator/sources/prometheus_request.h"

#include <chrono>
#include <utility>

#include "api/autoscaling/query_template.h"
#include "operator/kube/url.h"

namespace ballast::sources {

Result<kube::Request> PrometheusRequest(const PrometheusSource& source, const std::string& query,
                                        const std::string& namespace_, const std::string& target) {
  kube::Request request;
  request.path = "/api/v1/query";
  request.timeout = source.timeout;
  request.limit = kube::kQueryResult;
  request.limit.bytes = source.max_answer_bytes;
  for (const auto& [name, value] : source.parameters) {
    request.query.emplace_back(name, ParameterFor(namespace_, value));
  }
  // Shorter than our own, so that the source says in time that the query takes too long.
  const std::chrono::milliseconds timeout = source.timeout;
  request.query.emplace_back("timeout", std::to_string((timeout * 9 / 10).count()) + "ms");
  ASSIGN_OR_RETURN(std::string text,
                   api::ExpandQuery(query, {.namespace_ = namespace_, .target = target}));
  request.query.emplace_back("query", std::move(text));
  return request;
}

Result<std::string> PrometheusUrl(const PrometheusSource& source, const std::string& query,
                                  const std::string& namespace_, const std::string& target) {
  ASSIGN_OR_RETURN(const kube::Request request,
                   PrometheusRequest(source, query, namespace_, target));
  ASSIGN_OR_RETURN(const kube::Endpoint endpoint, kube::ParseEndpoint(source.connection.server));
  return (endpoint.tls ? "https://" : "http://") + endpoint.Authority() +
         kube::PrintTarget(endpoint, request);
}

}  // namespace ballast::sources
