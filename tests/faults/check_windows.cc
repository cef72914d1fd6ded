// The invariant "bounds" where overrides and schedules bound or hold a policy: each decision on
// record is allowed by those that count at its own time, by the clock that made it, however wrong
// that is; and for a window after one has ended it scales nothing in that the one had kept.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tests/faults/checks.h"

namespace ballast::faults {

bool Checks::MayCount(const Load::Window& window, const Span& span) const {
  return window.gone > span.from - lateness_ - kHeardOf &&
         Machine().Wall(span.until) > window.from - window.lead - apart_ &&
         Machine().Wall(span.from) < window.until + lateness_ + kHeardOf + apart_;
}

bool Checks::IsOfWindow(std::size_t index, std::int64_t count, const Span& span) const {
  const Load& load = loads_[index];
  return std::ranges::any_of(load.windows, [&](const Load::Window& window) {
    const bool is_on_its_way = (window.lead > 0 && count < window.count) ||  // a floor goes up
                               (window.ramp > 0 && count > window.count);    // a ceiling comes down
    const bool is_it =
        count == window.count || is_on_its_way || count == load.Within(window.count, load.max);
    return window.kind != WindowKind::kHold && is_it && MayCount(window, span);
  });
}

bool Checks::MayBeAboveCeiling(std::size_t index, const Span& span) const {
  const auto& seen = state_[index].seen;
  return !seen.empty() &&
         std::ranges::any_of(loads_[index].windows, [&](const Load::Window& window) {
           const bool is_ceiling =
               window.kind == WindowKind::kCeiling || window.kind == WindowKind::kPin;
           return is_ceiling && seen.back().second > window.count && MayCount(window, span);
         });
}

bool Checks::MayBeOff(std::size_t index) const {
  const Load& load = loads_[index];
  const Nanoseconds now = Fibers::Get().now();
  return std::ranges::any_of(load.windows, [&](const Load::Window& window) {
    const bool is_upper = window.kind == WindowKind::kCeiling || window.kind == WindowKind::kPin;
    return is_upper && load.Within(window.count, load.max) == 0 && MayCount(window, {now, now});
  });
}

std::int64_t Checks::HighestFloor(std::size_t index, Nanoseconds heard) const {
  const Load& load = loads_[index];
  const Nanoseconds now = Fibers::Get().now();
  std::int64_t floor = load.Most(&Load::Former::min, load.min, heard);
  for (const Load::Window& window : load.windows) {
    if ((window.kind == WindowKind::kFloor || window.kind == WindowKind::kPin) &&
        MayCount(window, {now, now})) {
      floor = std::max(floor, window.count);
    }
  }
  return floor;
}

// Whether it is an override's floor or pin that was removed before its end, less than a window ago,
// and that whoever leads has evaluated: that keeps its count as one does that has ended.
bool Checks::KeepsRemoved(std::size_t index, const Load::Window& window, Span made) const {
  const Load& load = loads_[index];
  const Nanoseconds known = lateness_ + kHeardOf;
  const Nanoseconds length =
      load.Least(&Load::Former::window, load.window, made.from - known) * 98 / 100;
  const Nanoseconds seen_within =
      2 * load.Most(&Load::Former::period, load.period, window.made - known) + known;
  // Beside others of its type it may have counted no more, and they count again.
  const bool is_alone = std::ranges::none_of(load.windows, [&](const Load::Window& other) {
    return (other.Replaces(window) || window.Replaces(other)) && other.made < window.gone &&
           other.gone > window.made && other.until > window.from;
  });
  const bool is_kept =
      is_alone && (window.kind == WindowKind::kFloor || window.kind == WindowKind::kPin);
  return is_kept && window.is_override && apart_ == 0 && !load.hpa &&
         std::max(
             {window.made, state_[index].anew, lease_since_, window.from - Machine().Wall(0)}) +
                 seen_within <
             window.gone &&
         window.gone < made.until && made.until < window.gone + length;
}

// Up to which moment before `wall`, or until now, it counts. `heard`: whoever decides knows of what
// was made and deleted until then.
Nanoseconds Checks::CountedUntil(const Load& load, const Load::Window& window, Nanoseconds wall,
                                 Nanoseconds heard) {
  const auto replaces = [&](const Load::Window& other) {
    return other.Replaces(window) && other.made <= heard && other.gone >= heard;
  };
  if (wall < window.until && std::ranges::none_of(load.windows, [&](const Load::Window& other) {
        return replaces(other) && other.from <= wall && wall < other.until;
      })) {
    return kNever;
  }
  Nanoseconds until = std::min(window.until, wall);
  for (Nanoseconds last = 0; last != until;) {
    last = until;
    for (const Load::Window& other : load.windows) {
      until = replaces(other) && other.from < until && until <= other.until ? other.from : until;
    }
  }
  return until;
}

void Checks::CheckWindows(const Decision& decision, const engine::Snapshot& snapshot) {
  const auto found = std::ranges::find(loads_, decision.name, &Load::name);
  if (found == loads_.end() || found->windows.empty() || decision.from == decision.to) {
    return;
  }
  const Load& load = *found;
  if (load.hpa && (decision.disposition == store::Disposition::kObserved ||
                   decision.disposition == store::Disposition::kDryRun)) {
    return;  // they do not concern the controller that scales it
  }
  const auto index = static_cast<std::size_t>(found - loads_.begin());
  const auto& max = state_[index].max.back();
  const Nanoseconds heard = decision.made.from - lateness_ - kHeardOf;
  const Nanoseconds wall = snapshot.now.unix_nanoseconds();
  if (max.first > heard || load.edited() > heard) {
    return;  // the spec was edited
  }
  const auto within = [&](std::int64_t count) { return load.Within(count, max.second); };
  std::int64_t floor = 0;
  std::int64_t maybe_floor = 0;  // it may count already
  std::int64_t kept = 0;         // until lately
  bool maybe_gone = false;       // what kept it, which may still count
  Nanoseconds kept_until = 0;    // by then no ceiling has come down
  std::optional<std::int64_t> pin;
  bool holds_in = false;
  bool holds_out = false;
  std::vector<const Load::Window*> ceilings;
  for (const Load::Suspension& suspension : load.suspensions) {
    const Nanoseconds until = Machine().Wall(std::min(suspension.until, Fibers::Get().now()));
    kept_until =
        suspension.in ? std::max(kept_until, std::min(until, wall) + load.window) : kept_until;
  }
  for (const Load::Window& window : load.windows) {
    const bool is_begun = wall >= window.from - window.lead;
    const bool is_near = is_begun && wall < window.until + load.window;
    if (window.kind != WindowKind::kCeiling && is_begun) {
      const Nanoseconds gone = window.gone == kNever ? wall : Machine().Wall(window.gone);
      kept_until = std::max(kept_until, std::min({window.until, wall, gone}) + load.window);
    }
    if (window.made > decision.made.until || !is_near) {
      continue;
    }
    if (KeepsRemoved(index, window, decision.made)) {
      kept = std::max(kept, within(window.count));
      maybe_gone |= window.gone > heard;
      continue;
    }
    if (window.gone < heard) {
      continue;
    }
    if (window.made > heard || window.gone < decision.made.until) {
      return;  // who decided may not have heard of it
    }
    const Nanoseconds until = CountedUntil(load, window, wall, heard);
    if (until != kNever) {
      const bool is_kept = until > window.from && wall < until + load.window;
      kept = std::max(kept, !is_kept || window.kind == WindowKind::kCeiling ? 0
                            : window.kind == WindowKind::kHold              ? (window.in ? kMax : 0)
                                                                            : within(window.count));
    } else if (window.kind == WindowKind::kFloor) {
      std::int64_t& which = wall >= window.from ? floor : maybe_floor;
      which = std::max(which, within(window.count));
    } else if (wall < window.from) {
      continue;
    } else if (window.kind == WindowKind::kCeiling) {
      ceilings.push_back(&window);
    } else if (window.kind == WindowKind::kPin) {
      pin = within(window.count);
    } else {
      holds_in |= window.in;
      holds_out |= window.out;
    }
  }
  std::int64_t ceiling = max.second;
  for (const Load::Window* window : ceilings) {
    // What kept a schedule's ceiling from coming down lets it do so later. So does an edit that
    // puts it around that time.
    const bool is_new = window->from < Machine().Wall(window->made) &&
                        decision.made.from < window->made + lateness_ + window->ramp;
    const bool waits =
        window->ramp > 0 && (is_new || wall < std::max(window->from, kept_until) + window->ramp);
    ceiling = waits ? ceiling : std::min(ceiling, within(window->count));
  }
  // A ceiling of 0 is below minReplicas, too.
  if (std::ranges::none_of(ceilings, [&](const auto* one) { return within(one->count) == 0; })) {
    floor = std::max(floor, load.min);
  }
  const std::int64_t least = pin.value_or(floor);
  const std::int64_t most = pin.value_or(std::max({floor, maybe_floor, ceiling}));
  const std::string what = decision.name + ": decision " + std::to_string(decision.added.id) +
                           " of " + Print(decision.added.time) + " from " +
                           std::to_string(decision.from) + " to " + std::to_string(decision.to);
  if (!maybe_gone && (decision.to < least || decision.to > most)) {
    Fail("bounds", what + ", overrides and schedules allow " + std::to_string(least) + " to " +
                       std::to_string(most));
  }
  const bool in = decision.to < decision.from;
  if (in ? holds_in : holds_out) {
    Fail("suspended", what + " although an override or a schedule holds it");
  }
  // A ceiling comes down by its rampMinutes as soon as nothing keeps it from doing so; one that
  // goes by the rates waits for a window.
  const bool comes_down = std::ranges::any_of(ceilings, [&](const Load::Window* window) {
    return window->ramp > 0 && !window->by_rates && decision.to >= within(window->count);
  });
  const bool is_bound =
      decision.to >= pin.value_or(std::max(floor, ceiling)) && decision.to <= most;
  if (in && !comes_down && decision.to < std::min(kept, decision.from) && !is_bound) {
    Fail("early", what + ", but a floor, pin or hold kept " +
                      std::to_string(std::min(kept, decision.from)) + " until lately, and the " +
                      "window is " + std::to_string(load.window / kSecond) + " s");
  }
}

}  // namespace ballast::faults
