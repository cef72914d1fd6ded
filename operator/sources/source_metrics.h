// Metrics of the sources of metrics: of the APIs ("external.metrics.k8s.io") and of the sources of
// --metric-sources.
//
// Thread-safety: any thread, as the handles in operator/telemetry.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "api/base/result.h"
#include "operator/process/clock.h"
#include "operator/telemetry/registry.h"

namespace ballast::sources {

struct SourceMetrics {
  SourceMetrics() = default;  // records nothing
  explicit SourceMetrics(telemetry::Registry& registry)
      : queries(registry.Counters("ballast_metric_source_queries_total",
                                  "Queries to a source of metrics, by their result: Ok, or the "
                                  "error.",
                                  {"source", "result"})),
        up(registry.Gauges("ballast_metric_source_up",
                           "Whether a source of metrics answered the last query, be it with an "
                           "error of the query.",
                           {"source"})),
        answered(registry.Gauges("ballast_metric_source_last_answer_timestamp_seconds",
                                 "When a source of metrics last answered, since unix epoch in "
                                 "seconds.",
                                 {"source"})),
        seconds(registry.Histograms("ballast_metric_source_query_duration_seconds",
                                    "How long queries to a source of metrics took.",
                                    {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}, {"source"})),
        rhythm(registry.Gauges("ballast_sample_rhythm_seconds",
                               "How far apart a source takes its samples, behind which autoscalers "
                               "are evaluated; 0: no rhythm is known.",
                               {"source"})) {}

  // Records a query that has ended. `error`: absent if it gave a value. `is_up`: whether the source
  // answered.
  void Record(const std::string& source, const std::optional<Error>& error, bool is_up,
              process::SteadyTime began, const process::Clock& clock) const {
    seconds.With({source}).Observe(std::chrono::duration<double>(clock.Steady() - began).count());
    queries.With({source, error ? Name(error->code) : "Ok"}).Add();
    up.With({source}).Set(is_up ? 1 : 0);
    if (is_up) {
      answered.With({source}).Set(static_cast<double>(clock.Now().unix_nanoseconds()) / 1e9);
    }
  }
  // The same for an API: it is up if it gave values, or says that it has none for that.
  void Record(const std::string& api, const std::optional<Error>& error, process::SteadyTime began,
              const process::Clock& clock) const {
    Record(api, error, !error || error->code == Code::kNotFound || error->code == Code::kInvalid,
           began, clock);
  }

  telemetry::Family<telemetry::Counter> queries;
  telemetry::Family<telemetry::Gauge> up;
  telemetry::Family<telemetry::Gauge> answered;
  telemetry::Family<telemetry::Histogram> seconds;
  telemetry::Family<telemetry::Gauge> rhythm;
};

}  // namespace ballast::sources
