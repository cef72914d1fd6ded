// Times as people write and read them on the command line.
//
// Thread-safety: pure functions, but for the process's time zone. Failure modes: ParseMoment's.
#pragma once

#include <string>

#include "api/base/result.h"
#include "api/base/time.h"

namespace ballast::cli {

enum class Zone { kLocal, kUtc };

// The present, by the system's clock.
Time Now();

// A moment as options take it: RFC 3339 ("2026-04-08T14:05:00Z"), a date and time or a time of day
// in `zone` ("2026-04-08 14:05", "14:05:30": today's), a span before `now` ("20m"), or "now".
// kInvalid, naming `option`, when it is none of them.
Result<Time> ParseMoment(const std::string& option, const std::string& text, Time now, Zone zone);

// "2026-04-08 14:05:00"
std::string PrintIn(Zone zone, Time time);
// "14:05:00", with the date if that is not the date of `near`.
std::string PrintNear(Zone zone, Time time, Time near);
// "UTC", "CEST": the zone's name at that time.
std::string NameOf(Zone zone, Time time);

}  // namespace ballast::cli
