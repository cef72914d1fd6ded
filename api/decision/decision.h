// Decision and Conclusion: the engine's results for a Snapshot before and after the attempt to
// write the scale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/bounds.h"
#include "api/decision/memory.h"
#include "api/decision/step.h"

namespace ballast::engine {

// A Kubernetes event about the autoscaler.
struct Event {
  std::string type;  // "Normal", "Warning"
  std::string reason;
  std::string message;
};

// Whether Decide() also writes a trace. Its texts cost more than the decision.
enum class Tracing { kOff, kOn };

// The first problem of an evaluation.
struct EvaluationProblem {
  std::string reason;  // "FailedGetScale", "FailedGetResourceMetric", ...
  std::string message;
};

// The result of Decide(). If `rescale`, the caller is to set the scale to `target_replicas`.
struct Decision {
  bool rescale = false;
  std::int32_t current_replicas = 0;  // the Scale's spec.replicas
  std::int32_t target_replicas = 0;
  // Those that were in force; no count outside of them is ever written.
  Bounds bounds;
  std::string rescale_reason;  // not empty for policies that rescale
  // Mode DryRun: the count that mode Active would write.
  std::optional<std::int32_t> dry_run_replicas;
  // Absent if everything could be evaluated. With a problem there may still be a decision to
  // rescale: the metrics that did answer may scale out.
  std::optional<EvaluationProblem> problem;
  // The count that the metrics together ask for, or while none gives a value spec.fallback; absent
  // if none could be computed or none was asked for.
  std::optional<std::int32_t> recommended;
  // The count that each of spec.metrics asks for; nullopt if that metric failed. Empty if no metric
  // was evaluated.
  std::vector<std::optional<std::int32_t>> proposals;
  // The status so far; Conclude() completes it.
  api::AutoscalerStatus status;
  std::vector<Event> events;
  Memory memory;
  std::vector<Step> trace;

  // Whether the count stays only because none could be computed.
  bool ComputedNothing() const { return problem && !recommended; }
};

// The result of the attempt to write the scale.
struct Outcome {
  enum class Kind {
    kNotAttempted,  // decision.rescale was false
    kWritten,
    kFailed,   // certainly not written
    kUnknown,  // it may have been written, and it is too late to find out
  };
  Kind kind = Kind::kNotAttempted;
  std::string message;  // kFailed, kUnknown: the error
};

// From `at` on, the count may be `replicas`.
struct Release {
  Time at;
  std::int32_t replicas = 0;
};

// The result of Conclude(), from a decision and its outcome: the status to write, the events to
// emit, the memory to keep.
struct Conclusion {
  bool rescale = false;                          // as in the decision
  std::optional<std::int32_t> dry_run_replicas;  // as in the decision
  api::AutoscalerStatus status;
  std::vector<Event> events;
  Memory memory;
  // When a window, a rate or a pause stops holding the count back: worth an evaluation at that
  // moment.
  std::optional<Release> release;
  std::vector<Step> trace;
};

}  // namespace ballast::engine
