#include "operator/engine/timetable.h"

#include <algorithm>
#include <variant>

#include "api/autoscaling/mode.h"
#include "api/autoscaling/pause_annotation.h"
#include "operator/engine/quirks.h"
#include "operator/engine/ramp.h"
#include "operator/engine/rate_limit.h"
#include "operator/engine/stabilization.h"

namespace ballast::engine {
namespace {

// Long enough to tell which schedule has ended, even without a scale-down window.
constexpr Duration kShortestTail = Duration::Seconds(300);

Bounds BoundsOf(const api::AutoscalerSpec& spec) {
  return {spec.min_replicas.value_or(1), spec.max_replicas};
}

// Where the ramp of a floor or ceiling leads. (The bounds of an invalid spec contradict each
// other.)
std::int32_t GoalOf(const api::AutoscalerSpec& spec, std::int32_t bound) {
  return std::min(std::max(bound, spec.min_replicas.value_or(1)), spec.max_replicas);
}
std::int32_t MaybeOff(const api::AutoscalerSpec& spec, std::int32_t count, std::int32_t least) {
  return count == 0 ? least : GoalOf(spec, count);
}
std::int32_t CeilingOf(const Timetable& table, const ScheduleWindow& window) {
  return MaybeOff(table.spec, *window.max_replicas, table.least);
}

// As Timetable::pause.
std::optional<ScheduleWindow> PauseWindow(const api::Autoscaler& autoscaler) {
  const auto pause = api::FindPause(autoscaler);
  if (!pause || !api::ModeOf(autoscaler.spec).writes_scale) {
    return std::nullopt;
  }
  ScheduleWindow window;
  window.end = pause->until;
  window.hold = pause->in && pause->out ? api::kHoldAll
                : pause->in             ? api::kHoldScaleDown
                                        : api::kHoldScaleUp;
  return window;
}

// As Timetable::least.
std::int32_t LeastOf(const api::Autoscaler& autoscaler, const Settings& settings) {
  if (autoscaler.is_policy()) {
    return 0;
  }
  return GoalOf(autoscaler.spec, settings.scale_to_zero ? 0 : 1);
}

Duration MinutesOf(const ScheduleWindow& window) {
  return std::clamp(Duration::Seconds(std::int64_t{*window.ramp_minutes} * 60), Duration{},
                    kLongestRamp);
}

// When the last pod of a floor is to be asked for.
Time ReadyBy(const Timetable& table, const ScheduleWindow& window) {
  return window.origin || table.schedules == nullptr ? window.start
                                                     : window.start - table.schedules->startup;
}

std::vector<const ScheduleWindow*> AllOf(const Timetable& table) {
  std::vector<const ScheduleWindow*> windows;
  for (std::size_t i = 0; table.schedules != nullptr && i < table.schedules->windows.size(); ++i) {
    windows.push_back(&table.schedules->windows[i]);
  }
  for (const ScheduleWindow& override : table.overrides) {
    windows.push_back(&override);
  }
  if (table.pause) {
    windows.push_back(&*table.pause);
  }
  return windows;
}

// The count below which the window does not let the target go.
const std::optional<std::int32_t>& FloorOf(const ScheduleWindow& window) {
  return window.pin ? window.pin : window.min_replicas;
}

// A ramp goes on from where the target last changed.
RampLine LineOf(const Timetable& table, Time begin, Time end, Time at) {
  const bool changed = table.last_scale && *table.last_scale > begin && *table.last_scale <= at;
  return {changed ? *table.last_scale : begin, end};
}

RampLine FloorLine(const Timetable& table, const ScheduleWindow& window, Time at) {
  const Time ready = ReadyBy(table, window);
  return LineOf(table, ready - MinutesOf(window), ready, at);
}

// From when on a ramp brings a ceiling down: the start of its window, or the end of another
// window's floor or hold that kept it from doing so.
Time FreeSince(const Timetable& table, const ScheduleWindow& window, Time at) {
  Time since = window.start;
  for (const ScheduleWindow* other : AllOf(table)) {
    const bool kept = FloorOf(*other) > window.max_replicas || HoldsScaleIn(*other);
    if (kept && other->end && *other->end <= at) {
      since = std::max(since, *other->end);
    }
  }
  return since;
}

RampLine CeilingLine(const Timetable& table, const ScheduleWindow& window, Time at) {
  const Time begin = FreeSince(table, window, at);
  return LineOf(table, begin, begin + MinutesOf(window), at);
}

// The least count that the window wants; 0: none.
std::int32_t FloorAt(const Timetable& table, const ScheduleWindow& window, Time at,
                     std::int32_t current) {
  if (!window.min_replicas || (window.end && at >= *window.end)) {
    return 0;
  }
  const std::int32_t goal = GoalOf(table.spec, *window.min_replicas);
  const Time ready = ReadyBy(table, window);
  if (at >= ready) {
    return goal;
  }
  if (!window.ramp_minutes) {
    return CountBefore(table.spec, goal, ready - at);
  }
  if (at < ready - MinutesOf(window)) {
    return 0;
  }
  return current >= goal ? goal : FloorLine(table, window, at).At(at, current, goal);
}

// Whether the status tells of a change of the count that the rates go by and the memory lacks, as
// after the loss of the ledger.
bool ForgotAChange(const Timetable& table, const Boxed<api::ScalingRules>& rules, Time at,
                   const Memory& memory) {
  return memory.scale_ups.empty() && memory.scale_downs.empty() && table.last_scale &&
         at < *table.last_scale + LongestPeriod(rules);
}

// The target is not to be scaled in below so many: the window's floor, pin or hold kept them until
// lately.
std::int32_t HeldAt(const Timetable& table, const ScheduleWindow& window, Time at,
                    std::int32_t current) {
  const bool lately = window.end && *window.end <= at && at < *window.end + table.scale_down_window;
  if (!lately) {
    return 0;
  }
  const auto& floor = FloorOf(window);
  return HoldsScaleIn(window) ? current : floor ? std::min(GoalOf(table.spec, *floor), current) : 0;
}

// The greatest count that the window allows; nullopt: any.
std::optional<std::int32_t> CeilingAt(const Timetable& table, const ScheduleWindow& window, Time at,
                                      std::int32_t current, const Memory& memory) {
  if (!window.max_replicas || !window.Contains(at)) {
    return std::nullopt;
  }
  const std::int32_t goal = CeilingOf(table, window);
  if (current <= goal) {
    return goal;
  }
  if (window.ramp_minutes) {
    const RampLine line = CeilingLine(table, window, at);
    return at < line.end ? line.At(at, current, goal) : goal;
  }
  // What ended lately keeps its count from this one, too.
  std::int32_t least = goal;
  for (const ScheduleWindow* other : AllOf(table)) {
    least = std::max(least, HeldAt(table, *other, at, current));
  }
  const auto& behavior = table.spec.behavior;
  const bool has_rates = behavior && behavior->scale_down && behavior->scale_down->policies &&
                         behavior->scale_down->select_policy != "Disabled";
  if (has_rates && ForgotAChange(table, behavior->scale_down, at, memory)) {
    return current;
  }
  return has_rates
             ? LimitByBehavior(current, least, {least, current}, *behavior, memory, at, kNoQuirks)
                   .replicas
             : least;
}

// One that is no more than the spec's minimum beats a ceiling too.
void Raise(ScheduledBounds& out, std::int32_t floor, const ScheduleWindow& window) {
  const bool first = floor > 0 && out.floor == nullptr && floor == out.bounds.min;
  if (first || floor > out.bounds.min) {
    out.bounds.min = floor;
    out.floor = &window;
  }
}

void Lower(ScheduledBounds& out, std::int32_t ceiling, const ScheduleWindow& window) {
  if (ceiling < out.bounds.max) {
    out.bounds.max = ceiling;
    out.ceiling = &window;
  }
}

// After all others, so it has both bounds.
void Pin(const Timetable& table, const ScheduleWindow& window, Time at, ScheduledBounds& out) {
  if (window.pin && window.Contains(at)) {
    const std::int32_t replicas = MaybeOff(table.spec, *window.pin, table.least);
    out.bounds = {replicas, replicas};
    out.floor = out.ceiling = &window;
  }
}

// A floor beats a ceiling. The spec's minimum does not: only a ceiling of 0 goes below it.
void Reconcile(ScheduledBounds& out) {
  if (out.ceiling == nullptr || out.bounds.max >= out.bounds.min) {
    return;
  }
  if (out.floor != nullptr) {
    out.bounds.max = out.bounds.min;
  } else {
    out.bounds.min = out.bounds.max;
  }
}

// Of an override's count that the spec's bounds do not allow.
std::string InsteadOf(const ScheduleWindow& window, std::int32_t asked, std::int32_t replicas) {
  return window.origin && asked != replicas
             ? " (" + std::to_string(asked) + " is beyond the spec's bounds)"
             : "";
}

std::string UntilEnd(const ScheduleWindow& window) {
  const std::string why =
      window.origin && !window.origin->reason.empty() ? ": " + window.origin->reason : "";
  const std::string open_end = OpenEndOf(window);
  return "until " + (open_end.empty() ? Print(*window.end) + why : open_end);
}

}  // namespace

bool HoldsScaleIn(const ScheduleWindow& window) {
  return !window.hold.empty() && window.hold != api::kHoldScaleUp;
}

bool HoldsScaleOut(const ScheduleWindow& window) {
  return !window.hold.empty() && window.hold != api::kHoldScaleDown;
}

Duration LeadOf(const api::AutoscalerSpec& spec, const ScheduleWindow& window, Duration startup) {
  if (!window.min_replicas) {
    return {};
  }
  const Duration ramp =
      window.ramp_minutes ? MinutesOf(window)
                          : RampTime(spec, GoalOf(spec, *window.min_replicas), BoundsOf(spec).min);
  return Duration{ramp.nanoseconds + std::min(startup, kLongestRamp).nanoseconds};
}

Duration TailOf(const api::AutoscalerSpec& spec, const Settings& settings) {
  const auto ramp = Duration::Seconds(std::int64_t{spec.schedules.longest_ramp_minutes()} * 60);
  return std::max({WindowsOf(spec, settings).down, kShortestTail, ramp});
}

Bounds BoundsAt(const api::AutoscalerSpec& spec, std::span<const ScheduleWindow> windows, Time at) {
  ScheduledBounds out{BoundsOf(spec)};
  for (const ScheduleWindow& window : windows) {
    if (window.Contains(at)) {
      if (window.min_replicas) {
        Raise(out, GoalOf(spec, *window.min_replicas), window);
      }
      if (window.max_replicas) {
        Lower(out, MaybeOff(spec, *window.max_replicas, 0), window);
      }
    }
  }
  Reconcile(out);
  return out.bounds;
}

bool Timetable::Moves(std::int32_t current) const {
  return std::ranges::any_of(AllOf(*this), [&](const ScheduleWindow* window) {
    const auto& floor = FloorOf(*window);
    return (floor && MaybeOff(spec, *floor, least) > current) ||
           (window->pin && MaybeOff(spec, *window->pin, least) <= current) ||
           (window->max_replicas && CeilingOf(*this, *window) <= current);
  });
}

ScheduledBounds Timetable::At(Time at, std::int32_t current, const Memory& memory) const {
  ScheduledBounds out{BoundsOf(spec)};
  std::optional<Time> held_until;
  const std::vector<const ScheduleWindow*> windows = AllOf(*this);
  for (const ScheduleWindow* window : windows) {
    Raise(out, FloorAt(*this, *window, at, current), *window);
    if (const auto ceiling = CeilingAt(*this, *window, at, current, memory)) {
      Lower(out, *ceiling, *window);
    }
    const std::int32_t held = HeldAt(*this, *window, at, current);
    if (held > out.held || (held > 0 && held == out.held && window->end > held_until)) {
      held_until = window->end;
      out.held = held;
      out.held_by = pause && window == &*pause ? nullptr : window;
    }
  }
  Reconcile(out);
  for (const ScheduleWindow* window : windows) {
    Pin(*this, *window, at, out);
  }
  return out;
}

std::vector<Time> Timetable::Moments(Time now, std::int32_t current) const {
  std::vector<Time> moments;
  for (const ScheduleWindow* window_of : AllOf(*this)) {
    const ScheduleWindow& of = *window_of;
    moments.push_back(of.start);
    if (of.end) {
      moments.push_back(*of.end);
      moments.push_back(*of.end + scale_down_window);
    }
    if (of.min_replicas) {
      const std::int32_t goal = GoalOf(spec, *of.min_replicas);
      const Time ready = ReadyBy(*this, of);
      moments.push_back(ready);
      if (!of.ramp_minutes) {
        moments.push_back(ready - RampTime(spec, goal, std::max(current, BoundsOf(spec).min)));
      } else if (const RampLine line = FloorLine(*this, of, now); now < ready && current < goal) {
        moments.push_back(line.begin);
        moments.push_back(line.NextStep(std::max(now, line.begin), current, goal));
      }
    }
    if (of.max_replicas && of.ramp_minutes) {
      const RampLine line = CeilingLine(*this, of, now);
      moments.push_back(line.end);
      if (now < line.end) {
        moments.push_back(line.NextStep(std::max(now, line.begin), current, CeilingOf(*this, of)));
      }
    }
  }
  std::erase_if(moments, [&](Time moment) { return moment <= now; });
  return moments;
}

Timetable TimetableOf(const Snapshot& snapshot) {
  const api::Autoscaler& autoscaler = snapshot.autoscaler;
  const bool scheduled = autoscaler.is_policy() && snapshot.schedules;
  return {autoscaler.spec,
          scheduled ? &*snapshot.schedules : nullptr,
          snapshot.overrides,
          WindowsOf(snapshot).down,
          autoscaler.status.last_scale_time,
          PauseWindow(autoscaler),
          LeastOf(autoscaler, snapshot.settings)};
}

ScheduledBounds ScheduledBoundsOf(const Snapshot& snapshot) {
  static const Memory kNothing;
  const auto* scale = std::get_if<api::Scale>(&snapshot.scale);
  const std::int32_t current =
      scale == nullptr ? snapshot.autoscaler.status.current_replicas : scale->spec_replicas;
  return TimetableOf(snapshot).At(snapshot.now, current,
                                  snapshot.memory ? *snapshot.memory : kNothing);
}

std::string OpenEndOf(const ScheduleWindow& window) {
  return !window.end             ? "its time zone " + window.time_zone + " is known again"
         : *window.end == kNoEnd ? "the schedule is edited"
                                 : "";
}

std::string DescribeFloor(const ScheduleWindow& window, std::int32_t replicas, Time now) {
  const std::string count = std::to_string(replicas);
  if (window.pin) {
    return NameOf(window) + " pins the replicas to " + count +
           InsteadOf(window, *window.pin, replicas) + " " + UntilEnd(window);
  }
  return now < window.start
             ? NameOf(window) + " raises the minimum to " + count + kOnItsWay +
                   std::to_string(*window.min_replicas) + " by " + Print(window.start)
             : NameOf(window) + " sets a minimum of " + count +
                   InsteadOf(window, *window.min_replicas, replicas) + " " + UntilEnd(window);
}

std::string DescribeCeiling(const ScheduleWindow& window, std::int32_t replicas) {
  const std::string count = std::to_string(replicas);
  return replicas > *window.max_replicas && !window.origin
             ? NameOf(window) + " lowers the maximum to " + count + kOnItsWay +
                   std::to_string(*window.max_replicas) + " " + UntilEnd(window)
             : NameOf(window) + " sets a maximum of " + count +
                   InsteadOf(window, *window.max_replicas, replicas) + " " + UntilEnd(window);
}

}  // namespace ballast::engine
