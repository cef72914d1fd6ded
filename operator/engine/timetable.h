// What the windows of a policy's schedules, and of an autoscaler's overrides, make of its bounds.
//
// Floors: the highest counts; ceilings: the lowest; a floor beats a ceiling. Each is clamped to the
// spec's bounds, but for a policy's ceiling or pin of 0, which switches the target off. No bound
// jumps: a ceiling comes down from the window's start on; a floor has risen before it, so early
// that the pods that it asks for have started by then. Both take rampMinutes, or as long as the
// rates of spec.behavior. An override acts at once; a pin, which is both bounds, comes after all
// others.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/bounds.h"
#include "api/decision/memory.h"
#include "api/decision/schedule_window.h"
#include "api/decision/snapshot.h"
#include "operator/engine/scheduled_bounds.h"

namespace ballast::engine {

// What the window's hold forbids while it is open.
bool HoldsScaleIn(const ScheduleWindow& window);
bool HoldsScaleOut(const ScheduleWindow& window);

// How long before its start a window may count, because its floor rises: the snapshot must have it
// by then. At most a day, and `startup`.
Duration LeadOf(const api::AutoscalerSpec& spec, const ScheduleWindow& window, Duration startup);

// How long after its end a window still counts, because nothing that its floor has held is scaled
// in before a scale-down window is over, nor faster than another schedule's ceiling may come down:
// the snapshot must have it until then.
Duration TailOf(const api::AutoscalerSpec& spec, const Settings& settings);

// The bounds that the spec and the windows of a policy's schedules that contain `at` have together,
// without ramps.
Bounds BoundsAt(const api::AutoscalerSpec& spec, std::span<const ScheduleWindow> windows, Time at);

// What the bounds of a moment depend on besides the moment. Refers to its parts.
struct Timetable {
  // With ramps, when there are `current` replicas.
  ScheduledBounds At(Time at, std::int32_t current, const Memory& memory) const;
  // The moments after `now` at which they may change, besides those at which a rate allows another
  // step.
  std::vector<Time> Moments(Time now, std::int32_t current) const;

  // Whether one of its bounds ever leads away from `current` replicas, or is all that keeps more
  // from being there.
  bool Moves(std::int32_t current) const;

  const api::AutoscalerSpec& spec;
  const ResolvedSchedules* schedules = nullptr;  // null: there are none
  const std::vector<ScheduleWindow>& overrides;
  Duration scale_down_window;
  std::optional<Time> last_scale;       // status.lastScaleTime
  std::optional<ScheduleWindow> pause;  // by annotation, over or not: a hold without a name
  // What a ceiling or pin of 0 becomes: 0 where something wakes the target again. A policy wakes
  // from its own, whatever its minimum; an HPA only with the gate HPAScaleToZero.
  std::int32_t least;
};

// That of an HPA has overrides alone.
Timetable TimetableOf(const Snapshot& snapshot);

// Those of now.
ScheduledBounds ScheduledBoundsOf(const Snapshot& snapshot);

// What ends the window, if no moment is known: "its time zone X is known again". Empty: one is.
std::string OpenEndOf(const ScheduleWindow& window);
// How a text goes on if the bound that it tells of is not there yet; the number follows.
inline constexpr const char* kOnItsWay = ", on its way to ";
// "schedule "day" sets a minimum of 10 until 2026-03-04T18:00:00Z", at `now`; of an override with
// its reason.
std::string DescribeFloor(const ScheduleWindow& window, std::int32_t replicas, Time now);
std::string DescribeCeiling(const ScheduleWindow& window, std::int32_t replicas);

}  // namespace ballast::engine
