// What the status of an autoscaler says that is not evaluated: of a policy that is refused, and of
// an HPA that Ballast does not manage. No count is decided, so that none is held.
#pragma once

#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/kubernetes/meta.h"

namespace ballast::engine {

// Why an autoscaler is not evaluated.
struct Refusal {
  std::string condition = {};  // that says so: Conflicted; empty: Ready only
  std::string reason = {};
  std::string cause;       // one sentence, the same for as long as it lasts
  std::string error = {};  // in its own words, which differ from time to time; empty: there is none

  // The word for it in history, events and Ready.
  const std::string& name() const { return condition.empty() ? reason : condition; }
  std::string message() const { return error.empty() ? cause : cause + ": " + error; }
};

// The policy's status then. `last`: the one before.
api::AutoscalerStatus ConcludeRefusal(const api::Autoscaler& policy, const Refusal& refusal,
                                      api::AutoscalerStatus last, Time now);

// The HPA's conditions while Ballast does not manage it. An empty reason: it is not meant to.
std::vector<api::Condition> ConcludeUnmanaged(const api::Autoscaler& hpa, const std::string& reason,
                                              const std::string& message, Time now);

}  // namespace ballast::engine
