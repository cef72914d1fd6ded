// What is counted of the evaluations, under controller-runtime's and the HPA controller's names.
//
// Thread-safety: as telemetry's handles.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "operator/runtime/runtime_metrics.h"
#include "operator/telemetry/registry.h"

namespace ballast::controllers {

inline constexpr const char* kControllerName = "autoscalepolicy";

// Whether there is a number for each policy, under its name; a large fleet has many.
enum class PerPolicy { kNo, kYes };

struct ControllerMetrics {
  ControllerMetrics() = default;  // counts nothing
  explicit ControllerMetrics(telemetry::Registry& registry, PerPolicy per_policy = PerPolicy::kNo);

  runtime::WorkQueueMetrics queue;
  telemetry::Family<telemetry::Counter> reconciled;  // controller, result
  telemetry::Counter errors;
  telemetry::Counter panics;  // evaluations that broke off
  telemetry::Histogram seconds;
  telemetry::Gauge workers;
  telemetry::Gauge active_workers;
  telemetry::Gauge policies;
  // namespace, hpa_name; if per policy
  std::optional<telemetry::Family<telemetry::Gauge>> desired_replicas;
};

struct EvaluationMetrics {
  EvaluationMetrics() = default;  // counts nothing
  explicit EvaluationMetrics(telemetry::Registry& registry);

  // `action`: scale_up, scale_down, none; `error`: spec, internal, none.
  void Count(const char* action, const char* error, std::chrono::duration<double> lasted) const;
  // One metric of an evaluation: what it alone asks for, and how long its answer took. `type`: as
  // in spec.metrics.
  void CountMetric(const char* action, const char* error, const std::string& type,
                   std::chrono::duration<double> lasted) const;

  telemetry::Family<telemetry::Counter> evaluations;
  telemetry::Family<telemetry::Histogram> seconds;
  telemetry::Family<telemetry::Counter> metrics;
  telemetry::Family<telemetry::Histogram> metric_seconds;
};

}  // namespace ballast::controllers
