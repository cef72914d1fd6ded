// Checks that the scale's selector selects pods that no other autoscaler selects.
//
// Errors: a SelectorProblem.
#pragma once

#include <optional>
#include <string>

#include "api/decision/snapshot.h"
#include "operator/engine/quirks.h"

namespace ballast::engine {

// The problem as the event, the condition ScalingActive and the evaluation's problem report it.
struct SelectorProblem {
  std::string event_reason;  // empty if listing pods failed: no event, ScalingActive is not set
  std::string condition_reason;
  std::string condition_message;
  std::string message;  // of the event and of the evaluation's problem
};

// A problem if the selector is missing or cannot be parsed, or if listing the pods failed.
std::optional<SelectorProblem> CheckSelector(const Snapshot& snapshot, const api::Scale& scale);

// A problem if another autoscaler selects some of `pods` too.
std::optional<SelectorProblem> CheckRivals(const Snapshot& snapshot, const api::Scale& scale,
                                           const PodList& pods, const Quirks& quirks);

}  // namespace ballast::engine
