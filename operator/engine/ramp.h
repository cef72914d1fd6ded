// How a bound of a schedule moves step by step to where it is to be.
//
// A ramp of so many minutes is a straight line from the count that the target has, drawn anew from
// each change of it, and so needs no memory of its own. One by the rates of spec.behavior is as
// fast as they let the target follow.
#pragma once

#include <cstdint>
#include <optional>

#include "api/autoscaling/types.h"
#include "api/base/time.h"

namespace ballast::engine {

// Each step takes so long at least, but for the last one.
inline constexpr Duration kRampStep = Duration::Seconds(15);

// The longest that a floor may take to rise.
inline constexpr Duration kLongestRamp = Duration::Seconds(24 * 3600);

// A straight line between two moments.
struct RampLine {
  // The bound at `at` (begin <= at < end) on the way from `current` to `goal`, which differ; never
  // further than the line.
  std::int32_t At(Time at, std::int32_t current, std::int32_t goal) const;
  // When it next differs from `current`, after `at`.
  Time NextStep(Time at, std::int32_t current, std::int32_t goal) const;

  Time begin;  // of the ramp, or when the count last changed within it
  Time end;
};

// The smallest count from which the scale-up rates lead to `goal` within `left`.
std::int32_t CountBefore(const api::AutoscalerSpec& spec, std::int32_t goal, Duration left);

// For how long before its goal a ramp by those rates is above `least`; at most kLongestRamp.
Duration RampTime(const api::AutoscalerSpec& spec, std::int32_t goal, std::int32_t least);

}  // namespace ballast::engine
