// What would have had to be different for another replica count: the engine is asked again, with
// one thing of the recorded snapshot changed at a time, and by bisection for the smallest change
// that suffices. Nothing here knows a rule of the engine.
//
// Thread-safety: pure functions. They cannot fail.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "operator/engine/decision.h"
#include "operator/engine/snapshot.h"

namespace ballast::cli {

// What holds the count back lets go by itself: windows and rates only look back so far.
struct Release {
  Time at;
  std::int32_t replicas = 0;  // the count from then on, if the load stays as it is
};

// When that is; nothing if time alone changes nothing. `outcome`: what became of the decision.
std::optional<Release> FindRelease(const engine::Snapshot& snapshot,
                                   const engine::Decision& decision,
                                   const engine::Outcome& outcome);

struct Alternative {
  std::string what;           // "with maxReplicas of 25 or more"
  std::int32_t replicas = 0;  // the count that it would have wished for
};

// Other settings first, then other loads.
std::vector<Alternative> FindAlternatives(const engine::Snapshot& snapshot,
                                          const engine::Decision& decision);

}  // namespace ballast::cli
