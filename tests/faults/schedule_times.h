// When the windows of a schedule are: as a person writes it into a spec, and as the zone's clock
// then shows it, minute by minute and by the system's own conversion. The program's calendar has no
// part in it.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/faults/faults.h"
#include "tests/faults/fibers.h"

namespace ballast::faults {

inline constexpr Nanoseconds kMinute = 60 * kSecond;

struct ScheduleTimes {
  std::string zone;
  // How often windows start is one member of the spec, "cron", or two, "days" and "from". These are
  // as text; in `starts`, `weekdays` and `days_of_month` is what they say.
  std::string text;
  std::set<std::int64_t> starts;  // minutes of the day
  // Either suffices; if there are none, each day does.
  std::set<std::int64_t> weekdays;  // 0 is Sunday
  std::set<std::int64_t> days_of_month;
  std::int64_t minutes = 0;  // that each lasts
  // Days since 1970.
  std::set<std::int64_t> except;
  std::set<std::int64_t> only;

  // Members of the spec, each but the first with a comma before it.
  std::string Text() const;
};

struct WindowSpan {
  Nanoseconds from;
  Nanoseconds until;
};
// Those within [from, until), cut to it. Windows that touch are one.
std::vector<WindowSpan> WindowsOf(const ScheduleTimes& times, Nanoseconds from, Nanoseconds until);

// A window a day, from that moment on.
ScheduleTimes Daily(const std::string& zone, Nanoseconds begins, std::int64_t minutes);

// One that begins at that moment, and maybe others, or maybe not even that one: at any times of the
// day, on any dates.
ScheduleTimes AnyTimes(Dice& dice, const std::string& zone, Nanoseconds begins,
                       std::int64_t minutes);

inline constexpr std::array<const char*, 5> kPlainZones{"UTC", "Asia/Kathmandu", "America/Phoenix",
                                                        "Pacific/Kiritimati", "Pacific/Pago_Pago"};

// A moment at which a zone's clocks are set, as by summer time.
struct ZoneChange {
  const char* zone;
  Nanoseconds at;
};
ZoneChange AnyZoneChange(Dice& dice);

}  // namespace ballast::faults
