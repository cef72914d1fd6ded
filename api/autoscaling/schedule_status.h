// What status.schedules of a policy shows: the windows that are open, the next change, and how long
// before a window its floor is reached.
//
// Errors: none; Decode notes what does not fit as a problem of the Decoder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/base/time.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"

namespace ballast::api {

// A window that is open.
struct ActiveSchedule {
  std::string name;           // the schedule's
  std::optional<Time> since;  // absent: more than a year ago
  // Absent: not within a year, or unknown, since the schedule's zone cannot be found.
  std::optional<Time> until;
  friend bool operator==(const ActiveSchedule&, const ActiveSchedule&) = default;
};

// When the bounds or holds of all windows together change next.
struct NextScheduleChange {
  Time time;
  std::string schedule;           // one whose window starts or ends then
  std::int32_t min_replicas = 0;  // from then on, like the next
  std::int32_t max_replicas = 0;
  // What is held from then on: "All", "ScaleUp", "ScaleDown", "None"; empty: written by an earlier
  // version.
  std::string hold = {};
  friend bool operator==(const NextScheduleChange&, const NextScheduleChange&) = default;
};

struct ScheduleStatus {
  std::vector<ActiveSchedule> active;
  std::optional<NextScheduleChange> next;  // absent: there is none within a year
  // How long the target's pods take to start; absent: written by an earlier version.
  std::optional<std::int32_t> startup_seconds;
  friend bool operator==(const ScheduleStatus&, const ScheduleStatus&) = default;
};

void Decode(const json::Cursor& in, ScheduleStatus& out);
void Encode(json::Writer& out, const NextScheduleChange& next);
void Encode(json::Writer& out, const ScheduleStatus& status);

}  // namespace ballast::api
