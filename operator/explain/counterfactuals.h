// What would have had to be different for another replica count: the engine is asked again, with
// one thing of the recorded snapshot changed at a time, and by bisection for the smallest change
// that suffices. Nothing here knows a rule of the engine.
//
// Thread-safety: pure functions. They cannot fail.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"

namespace ballast::explain {

// What is changed.
enum class Change {
  kMaxReplicas,
  kMinReplicas,
  kNoTolerance,
  kNewerSample,
  kNoPause,  // in the evaluations before it
  kNoScaleDownWindow,
  kNoScaleUpWindow,
  kNoScaleUpRate,
  kNoScaleDownRate,
  kLoad,
};

struct Alternative {
  Change change = Change::kLoad;
  std::string what;           // in words: "with maxReplicas of 25 or more"
  std::int32_t replicas = 0;  // the count that it would have wished for
};

// Other settings first, then other loads.
std::vector<Alternative> FindAlternatives(const engine::Snapshot& snapshot,
                                          const engine::Decision& decision);

}  // namespace ballast::explain
