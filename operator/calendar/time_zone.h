// A time zone of the system's database (tzdata): the wrapper of cctz.
//
// One rule turns what a clock on the wall shows into a moment: a wall time has come at the first
// moment at which the zone's clock shows it or a later one. So a time that is skipped has come when
// the gap ends, and one that is shown twice has come the first time.
//
// The database is the folder that the variable TZDIR names, else /usr/share/zoneinfo. A zone is
// read when it is first asked for, and kept as long as the process lives.
//
// Thread-safety: any thread.
#pragma once

#include <cctz/time_zone.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/recurrence.h"
#include "api/base/time.h"
#include "operator/calendar/wall_time.h"

namespace ballast::calendar {

class TimeZone {
 public:
  // Absent: the database has no zone of that name ("Europe/Berlin"; case matters).
  static std::optional<TimeZone> Find(const std::string& name);

  // When `wall` has come.
  Time At(WallTime wall) const;
  // What the zone's clock shows; of the minute that has begun.
  WallTime ShownAt(Time time) const;
  // As RFC 3339 in this zone, to the second ("2026-11-27T08:00:00+01:00").
  std::string Print(Time time) const;

 private:
  explicit TimeZone(cctz::time_zone zone) : zone_(zone) {}

  cctz::time_zone zone_;
};

// The names of all zones that the database has, sorted; empty if there is no database.
std::vector<std::string> ZoneNames();

// The version of the database ("2025b"); empty: it does not say.
const std::string& DatabaseVersion();

// What is wrong with the name of a zone: "is not known here; did you mean Europe/Berlin?". Empty:
// nothing.
std::string CheckZone(const std::string& name);
// Whether both are names of one zone, as the database has it: "UTC" and "Etc/UTC".
bool IsSameZone(const std::string& one, const std::string& other);

inline constexpr api::ZoneCheck kZoneCheck{.wrong = CheckZone, .same = IsSameZone};

}  // namespace ballast::calendar
