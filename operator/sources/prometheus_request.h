// The request that puts a query to a source of type Prometheus, without its credentials.
//
// Errors: kInvalid: the query's variables cannot be expanded.
#pragma once

#include <string>

#include "api/base/result.h"
#include "operator/kube/transport.h"
#include "operator/sources/source_file.h"

namespace ballast::sources {

// `query`: spec.metrics[].prometheus.query, of an autoscaler in `namespace_` that scales `target`.
Result<kube::Request> PrometheusRequest(const PrometheusSource& source, const std::string& query,
                                        const std::string& namespace_, const std::string& target);

// The URL of that request. No source has a credential in its URL.
Result<std::string> PrometheusUrl(const PrometheusSource& source, const std::string& query,
                                  const std::string& namespace_, const std::string& target);

}  // namespace ballast::sources
