// Metrics of the evaluations, under the names of the HPA controller.
//
// Thread-safety: any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "operator/telemetry/registry.h"

namespace ballast::session {

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
  telemetry::Family<telemetry::Counter> foreign_changes;
  telemetry::Counter memory_failures;
};

}  // namespace ballast::session
