#include "operator/schedules/resolve_schedules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/autoscaling/mode.h"
#include "api/autoscaling/validation.h"
#include "operator/calendar/time_zone.h"
#include "operator/engine/timetable.h"
#include "operator/schedules/timeline.h"

namespace ballast::schedules {
namespace {

constexpr Duration kLongestRest = Duration::Seconds(api::kMaxSyncPeriodSeconds);

constexpr Duration kDay = Duration::Seconds(24LL * 3600);

// What is further away is not told: it would be where the calendar's search ends (kHorizon), which
// is another moment each day.
constexpr Duration kTold = Duration::Seconds(366LL * 24 * 3600);

// Starts and ends that change nothing are passed over, but not without limit.
constexpr int kMostSteps = 256;

// The windows that were open at the last evaluation. They count for schedules whose zone is lost,
// and through edits too: of a metric, say, or of the bounds, which the spec has.
std::span<const api::ActiveSchedule> OpenBefore(const api::Autoscaler& autoscaler) {
  const auto& known = autoscaler.status.schedules;
  return known ? std::span<const api::ActiveSchedule>(known->active)
               : std::span<const api::ActiveSchedule>();
}

constexpr std::int64_t kSecond = Duration::Seconds(1).nanoseconds;

// As the record of the snapshot has it: else a ramp that is decided again may be a step further.
Duration InWholeSeconds(Duration span) {
  return Duration::Seconds((span.nanoseconds + kSecond - 1) / kSecond);
}

// The place among the schedules, whose names differ.
std::uint16_t PlaceOf(const std::string& name, const std::vector<api::Schedule>& schedules) {
  return static_cast<std::uint16_t>(std::ranges::find(schedules, name, &api::Schedule::name) -
                                    schedules.begin());
}

}  // namespace

// What the spec does not say itself: schedules are their places in it.
struct ScheduleResolver::Found {
  struct Window {
    std::int64_t start;               // seconds since 1970, as all that a calendar knows
    std::optional<std::int64_t> end;  // as in ScheduleWindow
    std::uint16_t schedule;
  };
  struct NextChange {
    Time at;
    engine::Bounds bounds;
    HeldDirections held;
    std::uint16_t schedule;
  };

  // As it is told at `now`: a start or an end that is far away may be the search's.
  void Add(const engine::ScheduleWindow& window, std::uint16_t schedule, Time now) {
    Time start = window.start;
    if (now - start > kTold) {
      start = Time();
    } else {
      Ends(start + kTold + Duration{1});
    }
    auto end = window.end;
    if (end && *end - now > kTold) {
      Ends(*end - kTold);
      end = engine::kNoEnd;
    }
    windows.push_back(
        {start.unix_seconds(), end ? std::optional(end->unix_seconds()) : std::nullopt, schedule});
  }
  // It is another one from then on.
  void Ends(Time at) { until = std::min(until, at); }

  void AddWindows(const ScheduleTimeline& timeline, const engine::Snapshot& snapshot,
                  Duration tail);
  void AddNext(ScheduleTimeline& timeline);
  engine::ResolvedSchedules Unpack(const api::AutoscalerSpec& spec) const;

  // What it was found for.
  std::int64_t generation;
  std::size_t hash;  // of the schedules, to whose places it refers
  Duration startup;
  Time since;
  Time until;

  std::vector<Window> windows = {};
  std::optional<NextChange> next = std::nullopt;
  std::vector<std::uint16_t> lost = {};
};

// In the order of spec.schedules; all lists are.
void ScheduleResolver::Found::AddWindows(const ScheduleTimeline& timeline,
                                         const engine::Snapshot& snapshot, Duration tail) {
  const Time now = snapshot.now;
  auto ended = timeline.ended().begin();
  auto window = timeline.windows().begin();
  for (std::uint16_t i = 0; i < timeline.schedules().size(); ++i) {
    const std::string& name = timeline.schedules()[i].name;
    if (ended != timeline.ended().end() && ended->name == name) {
      Add(*ended, i, now);
      Ends(*ended->end + tail);
      ++ended;
    }
    if (window == timeline.windows().end() || window->name != name) {
      continue;
    }
    const engine::ScheduleWindow& next_or_open = *window++;
    if (next_or_open.end) {
      Ends(*next_or_open.end);
    }
    const Time may_count = next_or_open.start -
                           engine::LeadOf(snapshot.autoscaler.spec, next_or_open, startup) -
                           kLongestRest;
    if (may_count <= now) {
      Add(next_or_open, i, now);
    } else {
      Ends(may_count);
    }
  }
  for (const engine::LostZone& zone : timeline.lost()) {
    lost.push_back(PlaceOf(zone.name, timeline.schedules()));
    Ends(now);  // the status may tell of another window then
  }
}

void ScheduleResolver::Found::AddNext(ScheduleTimeline& timeline) {
  const Time now = timeline.now();
  const engine::Bounds bounds = timeline.bounds();
  const HeldDirections held = timeline.held();
  std::optional<Time> first;
  for (int i = 0; i < kMostSteps; ++i) {
    const auto name = timeline.Step();
    if (!name) {
      return;
    }
    if (timeline.now() - now > kTold) {
      Ends(timeline.now() - kTold);
      return;
    }
    if (timeline.bounds() != bounds || timeline.held() != held) {
      next = {timeline.now(), timeline.bounds(), timeline.held(),
              PlaceOf(*name, timeline.schedules())};
      Ends(next->at);
      return;
    }
    first = first.value_or(timeline.now());
  }
  Ends(*first);
}

engine::ResolvedSchedules ScheduleResolver::Found::Unpack(const api::AutoscalerSpec& spec) const {
  const std::vector<api::Schedule> schedules = spec.schedules.Unpack();
  engine::ResolvedSchedules resolved{.tzdata = calendar::DatabaseVersion(),
                                     .startup = startup,
                                     .windows = {},
                                     .next = std::nullopt,
                                     .lost = {}};
  resolved.windows.reserve(windows.size());
  for (const Window& window : windows) {
    engine::ScheduleWindow& added =
        resolved.windows.emplace_back(WindowOf(schedules[window.schedule]));
    added.start = Time(window.start, 0);
    if (window.end) {
      added.end = Time(*window.end, 0);
    }
  }
  if (next) {
    resolved.next = {next->at, schedules[next->schedule].name, next->bounds, HoldOf(next->held)};
  }
  for (const std::uint16_t schedule : lost) {
    resolved.lost.push_back({schedules[schedule].name, schedules[schedule].time_zone});
  }
  return resolved;
}

ScheduleResolver::ScheduleResolver() = default;
ScheduleResolver::~ScheduleResolver() = default;

ScheduleResolver::Found ScheduleResolver::Find(const engine::Snapshot& snapshot, Duration startup) {
  const api::AutoscalerSpec& spec = snapshot.autoscaler.spec;
  const Time now = snapshot.now;
  const Duration tail = engine::TailOf(spec, snapshot.settings);
  ScheduleTimeline timeline(spec, now - tail, now, OpenBefore(snapshot.autoscaler));
  Found found{.generation = snapshot.autoscaler.metadata.generation,
              .hash = spec.schedules.hash(),
              .startup = startup,
              .since = now,
              .until = now + kDay};
  found.AddWindows(timeline, snapshot, tail);
  found.AddNext(timeline);
  return found;
}

Boxed<engine::ResolvedSchedules> ScheduleResolver::Resolve(const engine::Snapshot& snapshot,
                                                           Duration startup) {
  const api::Autoscaler& policy = snapshot.autoscaler;
  startup = InWholeSeconds(startup);
  if (policy.spec.schedules.empty() || !api::ModeOf(policy.spec).evaluates) {
    return std::nullopt;
  }
  const bool serves = found_ && found_->generation == policy.metadata.generation &&
                      found_->hash == policy.spec.schedules.hash() && found_->startup == startup &&
                      found_->since <= snapshot.now && snapshot.now < found_->until;
  if (!serves) {
    found_ = std::make_unique<Found>(Find(snapshot, startup));
  }
  return found_->Unpack(policy.spec);
}

Boxed<engine::ResolvedSchedules> ResolveSchedules(const engine::Snapshot& snapshot,
                                                  Duration startup) {
  return ScheduleResolver().Resolve(snapshot, startup);
}

Boxed<api::ScheduleStatus> StatusOf(const engine::Snapshot& snapshot) {
  if (!snapshot.schedules) {
    return std::nullopt;
  }
  api::ScheduleStatus status;
  for (const engine::ScheduleWindow& window : snapshot.schedules->windows) {
    if (window.Contains(snapshot.now)) {
      const bool is_told = window.start != Time();  // else it is long ago
      status.active.push_back({window.name, is_told ? std::optional(window.start) : std::nullopt,
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
