// Checks that the scale's selector selects pods that no other autoscaler selects.
//
// Thread-safety: pure function.
// Errors: a SelectorProblem.
#pragma once

#include <string>
#include <variant>

#include "api/decision/snapshot.h"

namespace ballast::engine {

// The problem as the event, the condition ScalingActive and the evaluation's problem report it.
struct SelectorProblem {
  std::string event_reason;  // empty if listing pods failed: no event, ScalingActive is not set
  std::string condition_reason;
  std::string condition_message;
  std::string message;  // of the event and of the evaluation's problem
};

// The snapshot's pods, which are those that the scale's selector matches. A problem if the selector
// is missing or cannot be parsed, if listing the pods failed, or if another autoscaler selects some
// of them too.
std::variant<const PodList*, SelectorProblem> CheckPodSelection(const Snapshot& snapshot,
                                                                const api::Scale& scale);

}  // namespace ballast::engine
