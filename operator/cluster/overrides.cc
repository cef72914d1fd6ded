#include "operator/cluster/overrides.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "api/base/printable.h"

namespace ballast::cluster {
namespace {

// As much of it goes into conditions, events and records, on one line.
constexpr std::size_t kMostOfOwner = 100;
constexpr std::size_t kMostOfReason = 300;

// Whether `a` was made later. Servers keep whole seconds, so the uid breaks ties.
bool IsNewer(const api::AutoScaleOverride& a, const api::AutoScaleOverride& b) {
  return std::tie(a.metadata.creation_timestamp, a.metadata.uid) >
         std::tie(b.metadata.creation_timestamp, b.metadata.uid);
}

bool CountsAt(const api::AutoScaleOverride& override, Time at) {
  return override.problem.empty() && override.start() <= at && !override.IsOver(at);
}

// One that somebody has ended has ended by now, also where that is not recorded yet, or was by a
// clock that is ahead.
Time EndBy(const api::AutoScaleOverride& override, Time now) {
  return override.ended.empty() ? override.end() : std::min(override.end(), now);
}

engine::ScheduleWindow WindowOf(const api::AutoScaleOverride& override, Time from, Time to) {
  engine::ScheduleWindow window{.name = override.metadata.name,
                                .start = from,
                                .end = to,
                                .min_replicas = override.spec.floor,
                                .max_replicas = override.spec.ceiling,
                                .hold = override.spec.hold,
                                .ramp_minutes = 0,
                                .pin = override.spec.pin};
  window.origin = engine::OverrideOrigin{Printable(override.spec.owner, kMostOfOwner),
                                         Printable(override.spec.reason, kMostOfReason)};
  return window;
}

// Those of one type that begin or end at a moment.
using Changes = std::map<Time, std::vector<const api::AutoScaleOverride*>>;

// Adds the windows of the newest of those that are open, moment after moment.
void AddWindows(const Changes& changes, Time now, std::vector<engine::ScheduleWindow>& windows) {
  const auto newer = [](const auto* a, const auto* b) { return IsNewer(*a, *b); };
  std::set<const api::AutoScaleOverride*, decltype(newer)> open;
  const api::AutoScaleOverride* counting = nullptr;  // whose window is the last one
  for (const auto& [moment, changed] : changes) {
    for (const api::AutoScaleOverride* override : changed) {
      if (EndBy(*override, now) == moment) {
        open.erase(override);
      } else {
        open.insert(override);
      }
    }
    const api::AutoScaleOverride* newest = open.empty() ? nullptr : *open.begin();
    if (newest == counting) {
      continue;
    }
    if (counting != nullptr) {
      windows.back().end = moment;
    }
    if (newest != nullptr) {
      windows.push_back(WindowOf(*newest, moment, EndBy(*newest, now)));
    }
    counting = newest;
  }
}

std::vector<const engine::ScheduleWindow*> OpenOverrides(
    const std::vector<engine::ScheduleWindow>& windows, Time at) {
  std::vector<const engine::ScheduleWindow*> open;
  for (const engine::ScheduleWindow& window : windows) {
    if (window.Contains(at)) {
      open.push_back(&window);
    }
  }
  std::ranges::sort(open, {}, [](const auto* window) { return window->name; });
  return open;
}

}  // namespace

void NewestOverrides::Add(const OverridePointer& override) {
  OverridePointer& newest = newest_[static_cast<std::size_t>(*override->spec.type())];
  if (newest == nullptr || IsNewer(*override, *newest)) {
    newest = override;
  }
}

api::OverrideStatus StatusAt(const api::AutoScaleOverride& override,
                             const api::AutoScaleOverride* newest, Time now) {
  const Time until = override.spec.until;
  std::optional<Time> ended = override.status.ended;
  if (!ended && !override.ended.empty()) {
    // Whole, and no earlier than it was.
    ended = std::min(Time(now.unix_seconds() + 1, 0), override.end());
  }
  if (!override.problem.empty()) {
    return {.phase = kPhaseInvalid, .message = override.problem, .ended = ended};
  }
  if (override.IsOver(now)) {
    const bool early = ended.value_or(until) < until;
    return {.phase = kPhaseExpired,
            .message = early ? "ended early, at " + Print(*ended) : "",
            .ended = ended};
  }
  if (now < override.start()) {
    return {kPhasePending, "begins at " + Print(override.start())};
  }
  if (newest == nullptr || newest->metadata.uid == override.metadata.uid) {
    return {kPhaseActive, ""};
  }
  return {kPhaseSuperseded,
          newest->metadata.name + " is newer and counts until " + Print(newest->spec.until)};
}

std::vector<engine::ScheduleWindow> WindowsOf(const std::vector<OverridePointer>& all, Time since,
                                              Time now) {
  std::vector<engine::ScheduleWindow> windows;
  const auto counts = [&](const OverridePointer& override) {
    const Time end = EndBy(*override, now);
    const bool tells = override->spec.hold.empty() || end == override->spec.until;
    return override->problem.empty() && !override->metadata.deletion_timestamp && since < end &&
           override->start() < end && tells;
  };
  std::map<api::OverrideType, Changes> types;
  for (const OverridePointer& override : all) {
    if (counts(override)) {
      Changes& changes = types[*override->spec.type()];
      changes[override->start()].push_back(override.get());
      changes[EndBy(*override, now)].push_back(override.get());
    }
  }
  for (const auto& [type, changes] : types) {
    AddWindows(changes, now, windows);
  }
  std::erase_if(windows, [&](const auto& window) { return *window.end <= since; });
  return windows;
}

std::vector<engine::ScheduleWindow> OpenWindowsOf(const std::vector<OverridePointer>& all,
                                                  Time now) {
  NewestOverrides newest;
  for (const OverridePointer& override : all) {
    if (CountsAt(*override, now)) {
      newest.Add(override);
    }
  }
  std::vector<engine::ScheduleWindow> windows;
  for (const OverridePointer& override : newest) {
    if (override != nullptr) {
      windows.push_back(WindowOf(*override, override->start(), override->spec.until));
    }
  }
  return windows;
}

std::optional<Time> NextChange(const std::vector<OverridePointer>& all, Time now) {
  std::optional<Time> next;
  for (const OverridePointer& override : all) {
    if (!override->problem.empty() || override->IsOver(now)) {
      continue;
    }
    for (const Time moment : {override->start(), override->spec.until}) {
      if (moment > now && (!next || moment < *next)) {
        next = moment;
      }
    }
  }
  return next;
}

bool SameOverrides(const std::vector<engine::ScheduleWindow>& a,
                   const std::vector<engine::ScheduleWindow>& b, Time now) {
  const auto same = [](const auto* one, const auto* other) {
    return one->name == other->name && one->min_replicas == other->min_replicas &&
           one->max_replicas == other->max_replicas && one->pin == other->pin &&
           one->hold == other->hold;
  };
  return std::ranges::equal(OpenOverrides(a, now), OpenOverrides(b, now), same);
}

}  // namespace ballast::cluster
