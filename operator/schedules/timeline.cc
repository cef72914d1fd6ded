#include "operator/schedules/timeline.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "api/autoscaling/recurrence.h"
#include "operator/calendar/time_zone.h"
#include "operator/engine/timetable.h"

namespace ballast::schedules {
namespace {

// When the window starts, or if it has, when it ends; absent: never, as far as is known.
std::optional<Time> BoundaryAfter(Time now, const engine::ScheduleWindow& window) {
  return window.start > now ? window.start : window.end;
}

}  // namespace

engine::ScheduleWindow WindowOf(const api::Schedule& schedule) {
  return {.name = schedule.name,
          .time_zone = schedule.time_zone,
          .start = {},
          .end = std::nullopt,
          .min_replicas = schedule.min_replicas,
          .max_replicas = schedule.max_replicas,
          .hold = schedule.hold,
          .ramp_minutes = schedule.ramp_minutes};
}

std::string HoldOf(const HeldDirections& held) {
  return held.up && held.down ? api::kHoldAll
         : held.up            ? api::kHoldScaleUp
         : held.down          ? api::kHoldScaleDown
                              : "";
}

ScheduleTimeline::ScheduleTimeline(const api::AutoscalerSpec& spec, Time since, Time now,
                                   std::span<const api::ActiveSchedule> open)
    : spec_(spec), schedules_(spec.schedules.Unpack()), now_(now) {
  wall_windows_.reserve(schedules_.size());
  for (const api::Schedule& schedule : schedules_) {
    api::FieldErrors ignored;
    auto recurrence = api::ReadRecurrence(schedule, "", ignored);
    if (!recurrence) {
      continue;
    }
    if (const auto zone = calendar::TimeZone::Find(schedule.time_zone)) {
      wall_windows_.emplace_back(*std::move(recurrence));
      cursors_.emplace_back(calendar::WindowCursor(wall_windows_.back(), *zone, since));
      windows_.push_back(WindowOf(schedule));
      (void)Renew(windows_.size() - 1);
      continue;
    }
    lost_.push_back({schedule.name, schedule.time_zone});
    const auto was = std::ranges::find(open, schedule.name, &api::ActiveSchedule::name);
    if (was != open.end()) {
      cursors_.emplace_back(std::nullopt);
      windows_.push_back(WindowOf(schedule));
      windows_.back().start = was->since.value_or(Time());
    }
  }
}

bool ScheduleTimeline::Renew(std::size_t i) {
  engine::ScheduleWindow& window = windows_[i];
  std::optional<engine::ScheduleWindow> before;
  auto next = cursors_[i]->Next();
  for (; next && next->end <= now_; next = cursors_[i]->Next()) {
    before = window;
    before->start = next->start;
    before->end = next->end;
  }
  if (before) {
    ended_.push_back(*std::move(before));
  }
  if (next) {
    window.start = next->start;
    window.end = next->end;
    return true;
  }
  windows_.erase(windows_.begin() + static_cast<std::ptrdiff_t>(i));
  cursors_.erase(cursors_.begin() + static_cast<std::ptrdiff_t>(i));
  return false;
}

engine::Bounds ScheduleTimeline::bounds() const { return engine::BoundsAt(spec_, windows_, now_); }

HeldDirections ScheduleTimeline::held() const {
  HeldDirections held;
  for (const engine::ScheduleWindow& window : windows_) {
    if (window.Contains(now_)) {
      held.up = held.up || engine::HoldsScaleOut(window);
      held.down = held.down || engine::HoldsScaleIn(window);
    }
  }
  return held;
}

std::optional<std::string> ScheduleTimeline::Step() {
  std::optional<Time> next;
  std::string name;
  for (const engine::ScheduleWindow& window : windows_) {
    const auto boundary = BoundaryAfter(now_, window);
    if (boundary && (!next || *boundary < *next)) {
      next = boundary;
      name = window.name;
    }
  }
  if (!next) {
    return std::nullopt;
  }
  now_ = *next;
  for (std::size_t i = 0; i < windows_.size();) {
    const auto& end = windows_[i].end;
    if (!end || *end > now_ || Renew(i)) {
      ++i;
    }
  }
  return name;
}

}  // namespace ballast::schedules
