// Metrics of the controller, under the names of controller-runtime and of the HPA controller.
//
// Thread-safety: any thread.
#pragma once

#include <optional>

#include "operator/runtime/runtime_metrics.h"
#include "operator/telemetry/registry.h"

namespace ballast::controllers {

inline constexpr const char* kControllerName = "autoscalepolicy";

// Whether there is a series for each policy; with many policies that is many series.
enum class PerPolicy { kNo, kYes };

struct ControllerMetrics {
  ControllerMetrics() = default;  // records nothing
  explicit ControllerMetrics(telemetry::Registry& registry, PerPolicy per_policy = PerPolicy::kNo);

  runtime::WorkQueueMetrics queue;
  telemetry::Family<telemetry::Counter> reconciled;  // labels: controller, result
  telemetry::Counter errors;
  telemetry::Counter panics;  // evaluations that ended with an exception
  telemetry::Histogram seconds;
  telemetry::Gauge workers;
  telemetry::Gauge active_workers;
  telemetry::Gauge policies;
  telemetry::Family<telemetry::Gauge> conditions;  // labels: kind, mode, condition, reason
  // Labels: namespace, hpa_name; with PerPolicy::kYes only.
  std::optional<telemetry::Family<telemetry::Gauge>> desired_replicas;
};

}  // namespace ballast::controllers
