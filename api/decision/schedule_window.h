// What spec.schedules of a policy, and the overrides of an autoscaler, say about the time around
// one evaluation, in absolute times: the engine knows no zone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/base/boxed.h"
#include "api/base/time.h"
#include "api/decision/bounds.h"

namespace ballast::engine {

// How long a target's pods take to start, while that is not known.
inline constexpr Duration kUnknownStartup = Duration::Seconds(60);

// The end of a window that goes on for as long as anybody can say: 9999-12-31T23:59:59Z.
inline constexpr Time kNoEnd{253'402'300'799, 0};

// Who made an override, and why.
struct OverrideOrigin {
  std::string owner;  // empty: not known
  std::string reason;
  friend bool operator==(const OverrideOrigin&, const OverrideOrigin&) = default;
};

// One window of a schedule, or the time for which an override counts. It counts while start <= now
// < end; a schedule's floor rises before that (LeadOf in operator/engine/timetable.h), and what it
// has held is scaled in only one scale-down window after its end (TailOf).
struct ScheduleWindow {
  std::string name;       // the schedule's or the override's
  std::string time_zone;  // the schedule's, for people
  Time start;             // 0001-01-01T00:00:00Z: more than a year ago
  // Absent: the zone cannot be found any more, so that nobody knows; the window counts until it is
  // found again, or the spec is edited.
  std::optional<Time> end;
  std::optional<std::int32_t> min_replicas;
  std::optional<std::int32_t> max_replicas;  // 0: none at all, whatever the spec's minimum
  std::string hold;                          // "All", "ScaleUp", "ScaleDown"; empty: none
  std::optional<std::int32_t> ramp_minutes;  // absent: by the rates of spec.behavior
  std::optional<std::int32_t> pin;           // of an override: both bounds, after all others
  // Of an override: it acts at once, without a ramp. Absent: it is a schedule's.
  Boxed<OverrideOrigin> origin;

  bool Contains(Time at) const { return start <= at && (!end || at < *end); }
};

// The next moment at which the bounds or the holds of the windows change.
struct ScheduleChange {
  Time at;
  std::string name;       // of a schedule whose window starts or ends then
  Bounds bounds;          // from then on, without ramps
  std::string hold = {};  // from then on, as ScheduleWindow::hold
};

// A schedule whose zone cannot be found. If one of its windows was open, that is one without end.
struct LostZone {
  std::string name;  // the schedule's
  std::string time_zone;
};

struct ResolvedSchedules {
  std::string tzdata;                   // the version of the zone data, for people: "2026a"
  Duration startup = kUnknownStartup;   // p90 of the target's last starts
  std::vector<ScheduleWindow> windows;  // in the order of spec.schedules, then of their starts
  std::optional<ScheduleChange> next;
  std::vector<LostZone> lost;
};

}  // namespace ballast::engine
