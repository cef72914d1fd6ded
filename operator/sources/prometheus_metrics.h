// Metrics of type Prometheus: the query is put to the source that it names, if that is for the
// policy's namespace. Equal queries of about the same moment are made once.
//
// Each source has threads, a circuit breaker and a connection of its own, so that a slow or dead
// one delays only the policies that use it.
//
// Thread-safety: any thread, as source.h says.
// Errors: as source.h and prometheus_answer.h say. kNotFound: no such source for the namespace.
// kUnauthorized, kForbidden, kThrottled, kTimeout, kUnavailable, kCorrupt: the source's answer, or
// that there is none. kUnavailable also if a credential or a certificate cannot be read, with the
// file.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "api/base/namespaces.h"
#include "operator/process/clock.h"
#include "operator/sources/source.h"
#include "operator/sources/source_file.h"
#include "operator/sources/source_metrics.h"
#include "operator/telemetry/debug_state.h"

namespace ballast::sources {

struct PrometheusOptions {
  std::vector<PrometheusSource> sources;
  std::stop_token stop;  // ends what is under way
};

class PrometheusMetrics final : public MetricSource {
 public:
  // `clock` must outlive the PrometheusMetrics.
  PrometheusMetrics(const PrometheusOptions& options, const process::Clock& clock,
                    const SourceMetrics& metrics = {});
  ~PrometheusMetrics() override;

  void Start(const Query& query, const Done& done) override;

  // One for each source.
  std::vector<telemetry::MetricsApiDebugState> DebugState() const;

 private:
  class Source;
  // The source of the query. kNotFound: there is none of that name for the namespace.
  Result<Source*> SourceOf(const Query& query) const;

  std::vector<std::unique_ptr<Source>> sources_;
};

}  // namespace ballast::sources
