// Bounds and rates: how far one step may go.
//
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/memory.h"
#include "operator/engine/quirks.h"

namespace ballast::engine {

// A count after limiting, with reason and message of the condition ScalingLimited.
struct Limited {
  std::int32_t replicas = 0;
  std::string_view reason;
  std::string_view message;
};

// Without spec.behavior: how far one step may go up.
std::int32_t DefaultScaleUpLimit(std::int32_t current, const Quirks& quirks);

// Without spec.behavior: within bounds, and at most `scale_up_limit`.
Limited LimitByDefault(std::int32_t desired, std::int32_t scale_up_limit, const Bounds& bounds);

// With spec.behavior: within the bound of the direction, and only as far as the direction's
// policies allow after the scale events of their periods.
Limited LimitByBehavior(std::int32_t current, std::int32_t desired, const Bounds& bounds,
                        const api::Behavior& behavior, const Memory& memory, Time now);

// The longest period of a direction's policies: how long its scale events count; 0 without any.
Duration LongestPeriod(const std::optional<api::ScalingRules>& rules);

// Records a change of replicas, if there is a behavior that will ask for it. An event older than
// the longest period of its direction gives its slot away.
void RecordScaleEvent(Memory& memory, const std::optional<api::Behavior>& behavior,
                      std::int32_t from, std::int32_t to, Time now);

}  // namespace ballast::engine
