#include "operator/schedules/resolve_schedules.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "api/autoscaling/mode.h"
#include "api/autoscaling/validation.h"
#include "operator/calendar/time_zone.h"
#include "operator/engine/timetable.h"
#include "operator/schedules/timeline.h"

namespace ballast::schedules {
namespace {

constexpr Duration kLongestRest = Duration::Seconds(api::kMaxSyncPeriodSeconds);

// What is further away is not told: it would be where the calendar's search ends (kHorizon), which
// is another moment each day.
constexpr Duration kTold = Duration::Seconds(366LL * 24 * 3600);

// Starts and ends that change nothing are passed over, but not without limit.
constexpr int kMostSteps = 256;

std::optional<engine::ScheduleChange> NextChange(ScheduleTimeline& timeline) {
  const Time now = timeline.now();
  const engine::Bounds bounds = timeline.bounds();
  const HeldDirections held = timeline.held();
  for (int i = 0; i < kMostSteps; ++i) {
    const auto name = timeline.Step();
    if (!name || timeline.now() - now > kTold) {
      break;
    }
    if (timeline.bounds() != bounds || timeline.held() != held) {
      return engine::ScheduleChange{timeline.now(), *name, timeline.bounds(),
                                    HoldOf(timeline.held())};
    }
  }
  return std::nullopt;
}

// The windows that were open at the last evaluation. They count for schedules whose zone is lost,
// and through edits too: of a metric, say, or of the bounds, which the spec has.
std::span<const api::ActiveSchedule> OpenBefore(const api::Autoscaler& autoscaler) {
  const auto& known = autoscaler.status.schedules;
  return known ? std::span<const api::ActiveSchedule>(known->active)
               : std::span<const api::ActiveSchedule>();
}

// The window as the snapshot has it: without an end that may be the search's.
engine::ScheduleWindow AsTold(engine::ScheduleWindow window, Time now) {
  if (window.end && *window.end - now > kTold) {
    window.end = engine::kNoEnd;
  }
  return window;
}

// In the order of spec.schedules; both lists are.
std::vector<engine::ScheduleWindow> Around(const ScheduleTimeline& timeline,
                                           const engine::Snapshot& snapshot, Duration startup) {
  const api::AutoscalerSpec& spec = snapshot.autoscaler.spec;
  std::vector<engine::ScheduleWindow> windows;
  auto ended = timeline.ended().begin();
  auto window = timeline.windows().begin();
  for (const api::Schedule& schedule : timeline.schedules()) {
    if (ended != timeline.ended().end() && ended->name == schedule.name) {
      windows.push_back(*ended++);
    }
    if (window != timeline.windows().end() && window->name == schedule.name) {
      if (window->start - engine::LeadOf(spec, *window, startup) - kLongestRest <= snapshot.now) {
        windows.push_back(AsTold(*window, snapshot.now));
      }
      ++window;
    }
  }
  return windows;
}

constexpr std::int64_t kSecond = Duration::Seconds(1).nanoseconds;

// As the record of the snapshot has it: else a ramp that is decided again may be a step further.
Duration InWholeSeconds(Duration span) {
  return Duration::Seconds((span.nanoseconds + kSecond - 1) / kSecond);
}

}  // namespace

Boxed<engine::ResolvedSchedules> ResolveSchedules(const engine::Snapshot& snapshot,
                                                  Duration startup) {
  const api::AutoscalerSpec& spec = snapshot.autoscaler.spec;
  startup = InWholeSeconds(startup);
  if (spec.schedules.empty() || !api::ModeOf(spec).evaluates) {
    return std::nullopt;
  }
  ScheduleTimeline timeline(spec, snapshot.now - engine::TailOf(spec, snapshot.settings),
                            snapshot.now, OpenBefore(snapshot.autoscaler));
  engine::ResolvedSchedules resolved{.tzdata = calendar::DatabaseVersion(),
                                     .startup = startup,
                                     .windows = Around(timeline, snapshot, startup),
                                     .next = std::nullopt,
                                     .lost = timeline.lost()};
  resolved.next = NextChange(timeline);
  return resolved;
}

Boxed<api::ScheduleStatus> StatusOf(const engine::Snapshot& snapshot) {
  if (!snapshot.schedules) {
    return std::nullopt;
  }
  api::ScheduleStatus status;
  for (const engine::ScheduleWindow& window : snapshot.schedules->windows) {
    if (window.Contains(snapshot.now)) {
      const bool is_old = snapshot.now - window.start > kTold;
      status.active.push_back({window.name, is_old ? std::nullopt : std::optional(window.start),
                               window.end == engine::kNoEnd ? std::nullopt : window.end});
    }
  }
  status.startup_seconds =
      static_cast<std::int32_t>(snapshot.schedules->startup.nanoseconds / kSecond);
  if (const auto& next = snapshot.schedules->next) {
    status.next = api::NextScheduleChange{next->at, next->name, next->bounds.min, next->bounds.max,
                                          next->hold.empty() ? api::kHoldNone : next->hold};
  }
  return status;
}

}  // namespace ballast::schedules
