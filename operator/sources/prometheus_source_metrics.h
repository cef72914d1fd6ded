// Metrics of the sources of --metric-sources.
//
// Thread-safety: any thread, as the handles in operator/telemetry.
// Errors: none.
#pragma once

#include "operator/telemetry/registry.h"

namespace ballast::sources {

struct PrometheusSourceMetrics {
  PrometheusSourceMetrics() = default;  // records nothing
  explicit PrometheusSourceMetrics(telemetry::Registry& registry)
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
                                    {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}, {"source"})) {}

  telemetry::Family<telemetry::Counter> queries;
  telemetry::Family<telemetry::Gauge> up;
  telemetry::Family<telemetry::Gauge> answered;
  telemetry::Family<telemetry::Histogram> seconds;
};

}  // namespace ballast::sources
