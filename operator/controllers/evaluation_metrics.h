// Metrics of the evaluations, under the names of controller-runtime and of the HPA controller.
//
// Thread-safety: any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
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

// The word for a change of replicas, in metrics.
const char* ActionOf(std::int32_t from, std::int32_t to);

struct EvaluationMetrics {
  EvaluationMetrics() = default;  // records nothing
  explicit EvaluationMetrics(telemetry::Registry& registry);

  // `action`: as ActionOf(); `error`: spec, internal, none.
  void Count(const char* action, const char* error, std::chrono::duration<double> lasted) const;
  // Counts the metrics of an evaluation: the change that each alone asks for, and how long its
  // answer took (`asked`).
  void CountMetrics(const engine::Snapshot& snapshot, const engine::Decision& decision,
                    std::span<const std::chrono::duration<double>> asked) const;

  // Counts the stages of a scale event that the API server confirmed (`written`): "sample", from
  // the newest sample until all answers were there (`seen`); "decide", from then on; "write", from
  // the decision on.
  void CountScaleEvent(const engine::Snapshot& snapshot, Time seen, Time decided,
                       Time written) const;

  // Counts a decision of an HPA's shadow. `verdict`: as Name(Agreement::Judgement).
  void CountShadow(const char* verdict) const { shadows.With({verdict}).Add(); }

  // Counts a change of replicas by another client. `undid`: it undid what the operator had written.
  void CountForeignChange(bool undid) const {
    foreign_changes.With({undid ? "true" : "false"}).Add();
  }

  // Counts that the memory of a managed HPA could not be written.
  void CountMemoryFailure() const { memory_failures.Add(); }

  telemetry::Family<telemetry::Counter> evaluations;
  telemetry::Family<telemetry::Histogram> seconds;
  telemetry::Family<telemetry::Counter> metrics;
  telemetry::Family<telemetry::Histogram> metric_seconds;
  telemetry::Family<telemetry::Histogram> scale_event_seconds;
  telemetry::Family<telemetry::Counter> shadows;
  telemetry::Family<telemetry::Counter> foreign_changes;
  telemetry::Counter memory_failures;
};

}  // namespace ballast::controllers
