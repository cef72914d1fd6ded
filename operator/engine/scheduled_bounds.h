// The bounds of one moment, and the windows of schedules that set them (timetable.h).
#pragma once

#include <cstdint>

#include "api/decision/bounds.h"
#include "api/decision/schedule_window.h"

namespace ballast::engine {

struct ScheduledBounds {
  Bounds bounds;
  const ScheduleWindow* floor = nullptr;    // sets the minimum; null: the spec does
  const ScheduleWindow* ceiling = nullptr;  // sets the maximum; null: the spec does
  // So many a floor or hold has kept until less than a scale-down window ago, and nothing scales in
  // below; 0: there is none.
  std::int32_t held = 0;
};

}  // namespace ballast::engine
