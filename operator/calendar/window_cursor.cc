#include "operator/calendar/window_cursor.h"

namespace ballast::calendar {

// The zone's clock may have been set back before `now`: what it then shows to be ahead has been.
std::optional<CalendarWindow> WindowCursor::Next() {
  while (const auto wall = wall_windows_->FirstEndingAfter(from_)) {
    from_ = wall->end;
    const CalendarWindow window{zone_.At(wall->begin), zone_.At(wall->end)};
    if (window.end > now_ && window.start < window.end) {
      return window;
    }
  }
  return std::nullopt;
}

}  // namespace ballast::calendar
