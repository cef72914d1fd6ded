// What is counted of the evaluations, under controller-runtime's and the HPA controller's names.
//
// Thread-safety: as telemetry's handles.
#pragma once

#include "operator/runtime/metrics.h"
#include "operator/telemetry/metrics.h"

namespace ballast::controllers {

inline constexpr const char* kControllerName = "autoscalepolicy";

struct ControllerMetrics {
  ControllerMetrics() = default;  // counts nothing
  explicit ControllerMetrics(telemetry::Registry& registry);

  runtime::WorkQueueMetrics queue;
  telemetry::Family<telemetry::Counter> reconciled;  // controller, result
  telemetry::Counter errors;
  telemetry::Counter panics;  // evaluations that broke off
  telemetry::Histogram seconds;
  telemetry::Gauge workers;
  telemetry::Gauge active_workers;
};

struct EvaluationMetrics {
  EvaluationMetrics() = default;  // counts nothing
  explicit EvaluationMetrics(telemetry::Registry& registry);

  // `action`: scale_up, scale_down, none; `error`: spec, internal, none.
  void Count(const char* action, const char* error, double lasted_seconds) const;

  telemetry::Family<telemetry::Counter> evaluations;
  telemetry::Family<telemetry::Histogram> seconds;
};

}  // namespace ballast::controllers
