// Decision and Conclusion: what the engine makes of a Snapshot before and after acting on it.
//
// Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/memory.h"
#include "api/decision/step.h"

namespace ballast::engine {

// A Kubernetes event about the autoscaler.
struct Event {
  std::string type;  // "Normal", "Warning"
  std::string reason;
  std::string message;
};

// Whether decide() also tells how it got there. The texts cost more than the decision.
enum class Tracing { kOff, kOn };

// The first thing that went wrong in an evaluation.
struct EvaluationProblem {
  std::string reason;  // "FailedGetScale", "FailedGetResourceMetric", ...
  std::string message;
};

// What decide() concludes. If `rescale`, the scale is to be written with `target_replicas`.
struct Decision {
  bool rescale = false;
  std::int32_t current_replicas = 0;  // what the scale said: spec.replicas
  std::int32_t target_replicas = 0;
  std::string rescale_reason;  // not empty for policies that rescale
  // Replica count wished for although it is not written: mode DryRun.
  std::optional<std::int32_t> dry_run_replicas;
  // Absent when everything could be evaluated. With a problem there may still be a decision: the
  // metrics that answered may scale out.
  std::optional<EvaluationProblem> problem;
  // What the metrics ask for together; absent when no count could be had, or none was asked for.
  std::optional<std::int32_t> recommended;
  // What each of spec.metrics asks for; nullopt: it failed. Empty when none was looked at.
  std::vector<std::optional<std::int32_t>> proposals;
  // State so far; conclude() completes it.
  api::AutoscalerStatus status;
  std::vector<Event> events;
  Memory memory;
  std::vector<Step> trace;
};

// What became of the attempt to write the scale.
struct Outcome {
  enum class Kind {
    kNotAttempted,  // decision.rescale was false
    kWritten,
    kFailed,   // certainly not written
    kUnknown,  // it may have been written, and nobody can tell any more
  };
  Kind kind = Kind::kNotAttempted;
  std::string message;  // kFailed, kUnknown: the error
};

// From `at` on the count may be `replicas`.
struct Release {
  Time at;
  std::int32_t replicas = 0;
};

// What conclude() makes of decision and outcome: the new status, the events to emit, the memory to
// keep.
struct Conclusion {
  bool rescale = false;                          // a write was attempted
  std::optional<std::int32_t> dry_run_replicas;  // as in the decision
  api::AutoscalerStatus status;
  std::vector<Event> events;
  Memory memory;
  // When a window or a rate that holds the count back lets go: worth an evaluation at that moment.
  std::optional<Release> release;
  std::vector<Step> trace;
};

}  // namespace ballast::engine
