// Metrics of the webhook's certificates, under controller-runtime's names where it has them.
//
// Thread-safety: any thread.
#pragma once

#include "operator/telemetry/registry.h"

namespace ballast::admission {

struct CertificateMetrics {
  CertificateMetrics() = default;  // records nothing
  explicit CertificateMetrics(telemetry::Registry& registry)
      : reads(registry
                  .Counters("certwatcher_read_certificate_total",
                            "Total number of certificate reads.")
                  .With({})),
        errors(registry
                   .Counters("certwatcher_read_certificate_errors_total",
                             "Total number of certificate read errors.")
                   .With({})),
        end(registry
                .Gauges("ballast_webhook_certificate_end_timestamp_seconds",
                        "When the webhook's certificate in use ends, since unix epoch in seconds.")
                .With({})) {}

  telemetry::Counter reads;
  telemetry::Counter errors;
  telemetry::Gauge end;
};

}  // namespace ballast::admission
