// Counterfactuals: what would have led to another replica count. The engine runs again on the
// recorded snapshot with one setting changed at a time; for loads, bisection finds the smallest
// change that suffices. No rule of the engine is repeated here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"

namespace ballast::explain {

// What differs from the recorded snapshot.
enum class AlteredInput {
  kMaxReplicas,
  kMinReplicas,
  kNoTolerance,
  kNewerSample,
  kNoPause,
  kNoSchedule,      // of that name
  kNoOverride,      // the same
  kTrust,           // in the suspect source
  kNoInterruption,  // of the evaluations before it
  kNoScaleDownWindow,
  kNoScaleUpWindow,
  kNoScaleUpRate,
  kNoScaleDownRate,
  kLoad,
};

struct Alternative {
  AlteredInput change = AlteredInput::kLoad;
  std::string what;           // in words: "with maxReplicas of 25 or more"
  std::int32_t replicas = 0;  // the resulting count
};

// All changes that lead to another count: settings first, then loads.
std::vector<Alternative> FindAlternatives(const engine::Snapshot& snapshot,
                                          const engine::Decision& decision);

}  // namespace ballast::explain
