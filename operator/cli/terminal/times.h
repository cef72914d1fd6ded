// Times as users write and read them on the command line.
//
// Thread-safety: pure functions that read the process's time zone, which must not change meanwhile.
// Now reads the system clock.
// Errors: ParseSpan, ParsePoint and ParseMoment: kInvalid, with the option's name; the others none.
#pragma once

#include <string>

#include "api/base/result.h"
#include "api/base/time.h"

namespace ballast::cli {

enum class Zone { kLocal, kUtc };

// The system clock's time.
Time Now();

// What "23:50" means ten minutes after midnight.
enum class TimeOfDay {
  kLast,   // the last time that clocks showed it
  kToday,  // though it is to come
  kTomorrow,
};

// What an option's value says: "90m", "2h", "7d", "1d12h". kInvalid: no span, or a negative one.
Result<Duration> ParseSpan(const std::string& option, const std::string& text);

// What an option's value says: RFC 3339 ("2026-04-08T14:05:00Z"), a date and time or a time of the
// day in `zone` or with its difference from UTC ("2026-04-08 14:05", "14:05:30", "14:05+02:00"), or
// "now". kInvalid: none of these.
Result<Time> ParsePoint(const std::string& option, const std::string& text, Time now, Zone zone,
                        TimeOfDay meant = TimeOfDay::kLast);

// The same, or a span before `now` ("20m").
Result<Time> ParseMoment(const std::string& option, const std::string& text, Time now, Zone zone,
                         TimeOfDay meant = TimeOfDay::kLast);

// "2026-04-08 14:05:00"
std::string PrintIn(Zone zone, Time time);
// Like it, for a column whose heading has the zone's name at `heading`: where DST begins or ends,
// "2026-10-25 02:30:00 CEST".
std::string PrintUnder(Zone zone, Time time, Time heading);
// "14:05:00", with the date unless it is that of `near`, and with the zone's name if that is
// another than at `near`.
std::string PrintNear(Zone zone, Time time, Time near);
// "14:05:00 CET", with the date unless it is that of `near`, and always with the zone's name.
std::string PrintNamed(Zone zone, Time time, Time near);
// "2026-04-08 14:05:00 to 15:05:00 CEST"
std::string PrintSpan(Zone zone, Time from, Time to);
// How far the zone's clocks are ahead of UTC at that time.
Duration OffsetOf(Zone zone, Time time);
// "UTC", "CEST": the zone's name at that time.
std::string NameOf(Zone zone, Time time);

}  // namespace ballast::cli
