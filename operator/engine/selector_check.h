// Whether the target's pods can be told apart from everybody else's.
//
// Thread-safety: pure function.
#pragma once

#include <string>
#include <variant>

#include "api/decision/snapshot.h"

namespace ballast::engine {

// What is wrong with the selector, in the three places that speak of it.
struct SelectorProblem {
  std::string event_reason;  // empty: no event and no condition of its own (listing pods failed)
  std::string condition_reason;
  std::string condition_message;
  std::string message;  // of the event, and of the evaluation's failure
};

// The pods that the scale's selector matches; or a problem when the selector is missing or does not
// parse, the pods could not be listed, or another autoscaler selects some of them too.
std::variant<const PodList*, SelectorProblem> CheckPodSelection(const Snapshot& snapshot,
                                                                const api::Scale& scale);

}  // namespace ballast::engine
