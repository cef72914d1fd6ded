// What is put into an autoscaler's memory beside the recommendation of an evaluation, which the
// pass "stabilization" adds.
#pragma once

#include <cstdint>
#include <optional>

#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"
#include "operator/engine/memory/continuity.h"

namespace ballast::engine {

// Adds an attempt that was written to `memory`: a scale event if the spec has a behavior, and for
// policies the samples that justified a scale-up. An attempt with an unknown outcome counts as
// written. `memory` may be that of a later evaluation.
void CountAttempt(Memory& memory, const Snapshot& snapshot, const Decision& decision,
                  const Outcome& outcome);

// The same of an attempt that ended after later evaluations: adds its recommendations, too.
// `since`: what broke evaluations off after it, if anything did.
void CountLateAttempt(Memory& memory, const Snapshot& snapshot, const Decision& decision,
                      const Outcome& outcome, std::optional<Break> since);

// Adds a change of replicas of which nothing else is known, whoever made it, and drops what no rate
// can count any more.
void CountChange(Memory& memory, Time time, std::int32_t from, std::int32_t to);

}  // namespace ballast::engine
