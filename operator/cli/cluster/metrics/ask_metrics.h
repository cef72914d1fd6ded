// Asks an autoscaler's metrics as the operator does, but with the caller's rights, and has the
// engine say what each of them asks for.
//
// Thread-safety: thread-safe if the transport is.
// Errors: kInvalid, kNotFound and others if the target, its scale or its pods cannot be read, or if
// no metric can be asked because of them. A metric that fails is no error here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/base/time.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"
#include "operator/sources/source_file.h"

namespace ballast::cli {

struct AskedMetric {
  std::string name;                      // "metric 0 (Resource)"
  std::string text;                      // value, target and the count, or why it is unusable
  std::optional<std::int32_t> proposal;  // the count; absent: the metric is unusable
  std::optional<Duration> age;           // of the newest sample; absent: none, or without a time
  std::optional<Duration> oldest_age;    // of the oldest sample, if that is another
  std::vector<std::string> requests;     // paths; empty: another metric's answer served
  std::string source;                    // of type Prometheus
  std::string query;                     // the same, with the variables' values
  std::string url;                       // that the operator asks; empty: it is not known
  std::string proxy;                     // through which it does; empty: none
};

struct AskedMetrics {
  std::int32_t replicas = 0;  // of the target's spec
  std::size_t pods = 0;       // that count
  std::int32_t left_out = 0;  // that match the selector but are not the target's
  std::vector<AskedMetric> metrics;
};

// `sources`: what is known of the installation's, for metrics of type Prometheus.
Result<AskedMetrics> AskMetrics(kube::Transport& transport, const process::Clock& clock,
                                const api::Autoscaler& autoscaler,
                                const std::vector<sources::PrometheusSource>& sources);

}  // namespace ballast::cli
