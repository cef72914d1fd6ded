#include "operator/cli/terminal/times.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string_view>

#include "operator/process/clock.h"

namespace ballast::cli {
namespace {

std::tm Parts(Zone zone, Time time) {
  const std::time_t seconds = time.unix_seconds();
  std::tm parts{};
  if (zone == Zone::kUtc) {
    gmtime_r(&seconds, &parts);
  } else {
    localtime_r(&seconds, &parts);
  }
  return parts;
}

std::string Format(Zone zone, Time time, const char* format) {
  const std::tm parts = Parts(zone, time);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

// Takes "Z", "+02:00" or "-05:30" off the end of a time.
std::optional<Duration> TakeOffset(std::string& text) {
  if (text.ends_with('Z')) {
    text.pop_back();
    return Duration{};
  }
  constexpr std::size_t kLength = 6;  // of "+02:00"
  if (text.size() <= kLength) {
    return std::nullopt;
  }
  const std::string offset = text.substr(text.size() - kLength);
  std::tm parts{};
  const char* rest = strptime(offset.c_str() + 1, "%H:%M", &parts);
  // A dash may also be that of a date. strptime() skips blanks.
  if (offset.find(' ') != std::string::npos || (offset[0] != '+' && offset[0] != '-') ||
      offset[3] != ':' || rest == nullptr || *rest != '\0') {
    return std::nullopt;
  }
  text.erase(text.size() - kLength);
  const std::int64_t seconds = std::int64_t{parts.tm_hour} * 3600 + parts.tm_min * 60;
  return Duration::Seconds(offset[0] == '-' ? -seconds : seconds);
}

// The time that the parts say; mktime() finds out whether DST applies.
Time ToTime(std::tm parts, const std::optional<Duration>& offset, Zone zone) {
  parts.tm_isdst = -1;
  if (offset) {
    return Time(timegm(&parts), 0) - *offset;
  }
  return Time(zone == Zone::kUtc ? timegm(&parts) : mktime(&parts), 0);
}

// When clocks last showed the parts, until `limit`. Where DST ends they show an hour twice, and
// where it begins they leave one out; then nullopt, as for what is later.
std::optional<Time> LastShown(const std::tm& parts, const std::optional<Duration>& offset,
                              Zone zone, Time limit) {
  if (offset || zone == Zone::kUtc) {
    const Time time = ToTime(parts, offset, zone);
    return time <= limit ? std::optional(time) : std::nullopt;
  }
  std::optional<Time> last;
  for (const int dst : {0, 1}) {
    std::tm shown = parts;
    shown.tm_isdst = dst;
    const Time time(mktime(&shown), 0);  // changes what clocks did not show
    if (shown.tm_isdst == dst && shown.tm_hour == parts.tm_hour && shown.tm_min == parts.tm_min &&
        time <= limit && (!last || time > *last)) {
      last = time;
    }
  }
  return last;
}

// Whether the month has that day; strptime() takes each for one of 31 days.
bool HasDay(const std::tm& parts) {
  std::tm day{};
  day.tm_year = parts.tm_year;
  day.tm_mon = parts.tm_mon;
  day.tm_mday = parts.tm_mday;
  timegm(&day);
  return day.tm_mday == parts.tm_mday;
}

// `text` in one of the forms without a time zone, or with its difference from UTC.
std::optional<Time> ParseInZone(std::string text, Time now, Zone zone, TimeOfDay meant) {
  const std::optional<Duration> offset = TakeOffset(text);
  for (const std::string_view format : {"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M",
                                        "%Y-%m-%dT%H:%M", "%H:%M:%S", "%H:%M"}) {
    std::tm parts = offset ? Parts(Zone::kUtc, now + *offset) : Parts(zone, now);
    parts.tm_sec = 0;
    const char* rest = strptime(text.c_str(), format.data(), &parts);
    if (rest == nullptr || *rest != '\0' || !HasDay(parts)) {
      continue;
    }
    if (!format.starts_with("%H") || meant == TimeOfDay::kToday) {
      return ToTime(parts, offset, zone);
    }
    // The functions know that the day before the 1st, or after the 31st, is in another month.
    if (meant == TimeOfDay::kTomorrow) {
      ++parts.tm_mday;
      return ToTime(parts, offset, zone);
    }
    for (int day = 0; day < 3; ++day, --parts.tm_mday) {
      if (const auto shown = LastShown(parts, offset, zone, now)) {
        return shown;
      }
    }
  }
  return std::nullopt;
}

constexpr const char* kPoints =
    "a time (2026-04-08T14:05:00Z, \"2026-04-08 14:05\", 14:05, 14:05+02:00)";

std::optional<Time> PointOf(const std::string& text, Time now, Zone zone, TimeOfDay meant) {
  if (text == "now") {
    return now;
  }
  const auto time = ParseTime(text);
  return time.ok() ? std::optional(*time) : ParseInZone(text, now, zone, meant);
}

// Without the date if it is that of `near`.
std::string FormatNear(Zone zone, Time time, Time near) {
  const bool same_day = Format(zone, time, "%F") == Format(zone, near, "%F");
  return Format(zone, time, same_day ? "%T" : "%F %T");
}

// The zone's name at that time, unless it has the same one at the other.
std::string NameUnless(Zone zone, Time time, Time other) {
  return OffsetOf(zone, time) == OffsetOf(zone, other) ? "" : " " + NameOf(zone, time);
}

}  // namespace

Time Now() { return process::RealClock().Now(); }

Result<Duration> ParseSpan(const std::string& option, const std::string& text) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::size_t kMostDigits = 4;
  const std::size_t mark = text.find_first_not_of(kDigits);
  const bool has_days =
      mark != std::string::npos && text[mark] == 'd' && mark > 0 && mark <= kMostDigits;
  const std::string rest = has_days ? text.substr(mark + 1) : text;
  const auto span = has_days && rest.empty() ? Result<Duration>(Duration()) : ParseDuration(rest);
  if (!span.ok() || *span < Duration()) {
    const bool bare = !text.empty() && mark == std::string::npos;
    return Error{Code::kInvalid,
                 option + ": \"" + text +
                     (bare ? "\" needs a unit, as in " + text + "m, " + text + "h or " + text + "d"
                           : "\" is no span like 90m, 2h, 7d or 1d12h")};
  }
  const Time any;
  const auto days = has_days ? std::stoll(text.substr(0, mark)) : 0;
  return any + Duration::Seconds(days * 24 * 3600) + *span - any;  // saturated
}

Result<Time> ParsePoint(const std::string& option, const std::string& text, Time now, Zone zone,
                        TimeOfDay meant) {
  if (const auto time = PointOf(text, now, zone, meant)) {
    return *time;
  }
  return Error{Code::kInvalid, option + ": \"" + text + "\" is not " + kPoints};
}

Result<Time> ParseMoment(const std::string& option, const std::string& text, Time now, Zone zone,
                         TimeOfDay meant) {
  if (const auto time = PointOf(text, now, zone, meant)) {
    return *time;
  }
  if (const auto span = ParseSpan(option, text); span.ok()) {
    return now - *span;
  }
  return Error{Code::kInvalid, option + ": \"" + text + "\" is neither " + kPoints +
                                   " nor a span before now (20m, 2d)"};
}

std::string PrintIn(Zone zone, Time time) { return Format(zone, time, "%F %T"); }

std::string PrintUnder(Zone zone, Time time, Time heading) {
  return PrintIn(zone, time) + NameUnless(zone, time, heading);
}

std::string PrintNear(Zone zone, Time time, Time near) {
  return FormatNear(zone, time, near) + NameUnless(zone, time, near);
}

std::string PrintNamed(Zone zone, Time time, Time near) {
  return FormatNear(zone, time, near) + " " + NameOf(zone, time);
}

std::string PrintSpan(Zone zone, Time from, Time to) {
  return PrintUnder(zone, from, to) + " to " + PrintNamed(zone, to, from);
}

Duration OffsetOf(Zone zone, Time time) { return Duration::Seconds(Parts(zone, time).tm_gmtoff); }

std::string NameOf(Zone zone, Time time) {
  return zone == Zone::kUtc ? "UTC" : Format(zone, time, "%Z");
}

}  // namespace ballast::cli
