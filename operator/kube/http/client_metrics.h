// Metrics of the calls to API servers, under client-go's names.
//
// Thread-safety: any thread, as the handles in operator/telemetry.
#pragma once

#include "operator/telemetry/registry.h"

namespace ballast::kube {

struct ClientMetrics {
  ClientMetrics() = default;  // counts nothing
  explicit ClientMetrics(telemetry::Registry& registry);

  telemetry::Family<telemetry::Counter> requests;   // code ("<error>": no answer), method, host
  telemetry::Family<telemetry::Counter> retries;    // code, verb, host
  telemetry::Family<telemetry::Histogram> seconds;  // verb, host
};

}  // namespace ballast::kube
