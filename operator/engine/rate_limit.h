// Limits a count to the bounds and to the rate at which it may change.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/memory.h"
#include "operator/engine/limited.h"
#include "operator/engine/quirks.h"

namespace ballast::engine {

// Without spec.behavior: the highest count after one step.
std::int32_t DefaultScaleUpLimit(std::int32_t current, const Quirks& quirks);

// Without spec.behavior: limits `desired` to the bounds and to `scale_up_limit`.
Limited LimitByDefault(std::int32_t desired, std::int32_t scale_up_limit, const Bounds& bounds);

// With spec.behavior: limits `desired` to the direction's bound, and to the change that its
// policies allow, given the scale events within their periods.
Limited LimitByBehavior(std::int32_t current, std::int32_t desired, const Bounds& bounds,
                        const api::Behavior& behavior, const Memory& memory, Time now,
                        const Quirks& quirks);

// The longest period of a direction's policies; 0 if it has none.
Duration LongestPeriod(const Boxed<api::ScalingRules>& rules);

// Records a change of replicas as a scale event, if there is a behavior. It overwrites the last
// event that is older than its direction's longest period; if there is none, it is appended.
void RecordScaleEvent(Memory& memory, const std::optional<api::Behavior>& behavior,
                      std::int32_t from, std::int32_t to, Time now);

}  // namespace ballast::engine
