// The schedules of a policy in time: from one start or end of a window to the next.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/schedule_window.h"
#include "operator/calendar/wall_windows.h"
#include "operator/calendar/window_cursor.h"

namespace ballast::schedules {

// What the windows that are open forbid.
struct HeldDirections {
  bool up = false;
  bool down = false;
  friend bool operator==(const HeldDirections&, const HeldDirections&) = default;
};
// "All", "ScaleUp", "ScaleDown"; empty: none.
std::string HoldOf(const HeldDirections& held);

// A window of the schedule, without its times.
engine::ScheduleWindow WindowOf(const api::Schedule& schedule);

class ScheduleTimeline {
 public:
  // Begins at `now`, and knows what has ended since `since`. `open`: the windows that were open
  // when the zones were last known; that of a schedule whose zone is gone goes on. A schedule that
  // cannot be read has no windows. `spec` must outlive the ScheduleTimeline.
  ScheduleTimeline(const api::AutoscalerSpec& spec, Time since, Time now,
                   std::span<const api::ActiveSchedule> open = {});
  ScheduleTimeline(const ScheduleTimeline&) = delete;
  ScheduleTimeline& operator=(const ScheduleTimeline&) = delete;

  // Those of the spec, as it has them.
  const std::vector<api::Schedule>& schedules() const { return schedules_; }
  Time now() const { return now_; }
  // Of each schedule that has one, in their order: the window that contains now() or is the next.
  const std::vector<engine::ScheduleWindow>& windows() const { return windows_; }
  // Of each schedule that had one at the beginning: the last window that had ended since `since`.
  const std::vector<engine::ScheduleWindow>& ended() const { return ended_; }
  const std::vector<engine::LostZone>& lost() const { return lost_; }
  // Without ramps.
  engine::Bounds bounds() const;
  HeldDirections held() const;

  // Goes to the next start or end of a window. Returns a schedule whose it is; absent: there is
  // none for kHorizon, and now() stays.
  std::optional<std::string> Step();

 private:
  // Gives windows_[i] the schedule's next window, which ends after now_; false: there is none, and
  // it was removed.
  bool Renew(std::size_t i);

  const api::AutoscalerSpec& spec_;
  const std::vector<api::Schedule> schedules_;
  Time now_;
  std::vector<calendar::WallWindows> wall_windows_;             // the cursors point into it
  std::vector<std::optional<calendar::WindowCursor>> cursors_;  // of windows_; absent: zone gone
  std::vector<engine::ScheduleWindow> windows_;
  std::vector<engine::ScheduleWindow> ended_;
  std::vector<engine::LostZone> lost_;
};

}  // namespace ballast::schedules
