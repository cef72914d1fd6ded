#include "operator/cli/times.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <optional>

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

// `text` in one of the forms without a time zone.
std::optional<Time> ParseInZone(const std::string& text, Time now, Zone zone) {
  for (const char* format : {"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M",
                             "%Y-%m-%dT%H:%M", "%H:%M:%S", "%H:%M"}) {
    std::tm parts = Parts(zone, now);
    parts.tm_sec = 0;
    const char* rest = strptime(text.c_str(), format, &parts);
    if (rest == nullptr || *rest != '\0') {
      continue;
    }
    parts.tm_isdst = -1;  // mktime() finds out whether DST applies
    return Time(zone == Zone::kUtc ? timegm(&parts) : mktime(&parts), 0);
  }
  return std::nullopt;
}

}  // namespace

Time Now() {
  return Time::FromUnixNanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                       std::chrono::system_clock::now().time_since_epoch())
                                       .count());
}

Result<Time> ParseMoment(const std::string& option, const std::string& text, Time now, Zone zone) {
  if (text == "now") {
    return now;
  }
  if (const auto time = ParseTime(text); time.ok()) {
    return *time;
  }
  if (const auto span = ParseDuration(text); span.ok() && *span >= Duration{}) {
    return now - *span;
  }
  if (const auto time = ParseInZone(text, now, zone)) {
    return *time;
  }
  return Error{Code::kInvalid, option + ": \"" + text +
                                   "\" is neither a time (2026-04-08T14:05:00Z, \"2026-04-08 "
                                   "14:05\", 14:05) nor a span before now (20m)"};
}

std::string PrintIn(Zone zone, Time time) { return Format(zone, time, "%F %T"); }

std::string PrintNear(Zone zone, Time time, Time near) {
  const bool same_day = Format(zone, time, "%F") == Format(zone, near, "%F");
  return Format(zone, time, same_day ? "%T" : "%F %T");
}

Duration OffsetOf(Zone zone, Time time) { return Duration::Seconds(Parts(zone, time).tm_gmtoff); }

std::string NameOf(Zone zone, Time time) {
  return zone == Zone::kUtc ? "UTC" : Format(zone, time, "%Z");
}

}  // namespace ballast::cli
