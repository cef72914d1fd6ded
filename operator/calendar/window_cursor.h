// The windows of a schedule in time, one after the other.
#pragma once

#include <optional>

#include "api/base/time.h"
#include "operator/calendar/time_zone.h"
#include "operator/calendar/wall_time.h"
#include "operator/calendar/wall_windows.h"

namespace ballast::calendar {

struct CalendarWindow {
  Time start;
  Time end;  // no part of it
};

// Those that end after `now`, in order. What a gap of the zone swallows whole is none.
class WindowCursor {
 public:
  // `wall_windows` must outlive the cursor.
  WindowCursor(const WallWindows& wall_windows, TimeZone zone, Time now)
      : wall_windows_(&wall_windows), zone_(zone), now_(now), from_(zone.ShownAt(now)) {}

  // Absent: there is none for kHorizon.
  std::optional<CalendarWindow> Next();

 private:
  const WallWindows* wall_windows_;
  TimeZone zone_;
  Time now_;
  WallTime from_;
};

}  // namespace ballast::calendar
