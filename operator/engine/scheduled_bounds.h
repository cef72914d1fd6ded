// The bounds of one moment, and the windows of schedules that set them (timetable.h).
#pragma once

#include <cstdint>
#include <string>

#include "api/autoscaling/types.h"
#include "api/decision/bounds.h"
#include "api/decision/schedule_window.h"

namespace ballast::engine {

struct ScheduledBounds {
  Bounds bounds;
  const ScheduleWindow* floor = nullptr;    // sets the minimum; null: the spec does
  const ScheduleWindow* ceiling = nullptr;  // sets the maximum; null: the spec does
  // So many a floor, hold or pause has kept until less than a scale-down window ago, and nothing
  // scales in below; 0: there is none.
  std::int32_t held = 0;
  const ScheduleWindow* held_by = nullptr;  // null: a pause by annotation
};

inline constexpr const char* kBySchedule = "schedule \"";
inline constexpr const char* kByOverride = "override \"";
// "schedule "day"", "override "web-floor-x7k2p" of alice".
std::string NameOf(const ScheduleWindow& window);
// What has kept `bounds.held` until lately: also "a pause by alice".
std::string WhoHeld(const ScheduledBounds& bounds, const api::Autoscaler& autoscaler);

}  // namespace ballast::engine
