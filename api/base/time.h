// Points in time and spans between them, with the range and precision of the Kubernetes API: UTC,
// nanoseconds, years 0 to 9999.
//
// Nothing here reads a clock. Arithmetic saturates at the ends of the range instead of wrapping.
//
// Errors: ParseTime and ParseDuration return kInvalid and quote the text; nothing else fails.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "api/base/result.h"

namespace ballast {

// A span of time in nanoseconds (about 292 years either way), like Go's time.Duration.
struct Duration {
  std::int64_t nanoseconds = 0;

  static constexpr Duration Seconds(std::int64_t seconds) { return Of(seconds, 1'000'000'000); }
  static constexpr Duration Milliseconds(std::int64_t millis) { return Of(millis, 1'000'000); }
  constexpr double seconds() const { return static_cast<double>(nanoseconds) / 1e9; }
  friend constexpr auto operator<=>(const Duration&, const Duration&) = default;

 private:
  static constexpr Duration Of(std::int64_t count, std::int64_t unit) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    if (count > kMost / unit) {
      return {kMost};
    }
    return {count < kLeast / unit ? kLeast : count * unit};
  }
};

// A point in time. The default is Go's zero time, 0001-01-01T00:00:00Z.
class Time {
 public:
  constexpr Time() = default;
  constexpr Time(std::int64_t unix_seconds, std::int32_t nanoseconds)
      : seconds_(unix_seconds), nanoseconds_(nanoseconds) {}

  // From nanoseconds since 1970-01-01T00:00:00Z.
  static Time FromUnixNanoseconds(std::int64_t nanoseconds);

  constexpr std::int64_t unix_seconds() const { return seconds_; }
  constexpr std::int32_t nanoseconds() const { return nanoseconds_; }
  // Saturated to the range of int64 (years 1678 to 2262).
  std::int64_t unix_nanoseconds() const;

  friend constexpr auto operator<=>(const Time&, const Time&) = default;
  friend Time operator+(Time time, Duration span);
  friend Time operator-(Time time, Duration span);
  // Saturated to Duration's range.
  friend Duration operator-(Time later, Time earlier);

 private:
  std::int64_t seconds_ = -62'135'596'800;  // since 1970
  std::int32_t nanoseconds_ = 0;            // 0..999'999'999
};

// RFC 3339 with upper-case T and Z, with or without a fraction, in any zone
// ("2026-04-08T04:42:29.5+02:00"). Digits beyond nanoseconds are dropped. kInvalid for anything
// else.
Result<Time> ParseTime(std::string_view text);
// RFC 3339 in UTC, without trailing zeros in the fraction ("2026-04-08T02:42:29.5Z").
std::string Print(Time time);
// As metav1.MicroTime prints it: always six digits, the rest cut off
// ("2026-04-08T02:42:29.500000Z").
std::string PrintMicro(Time time);

// Go's duration syntax: "15s", "1m0s", "1h2m3.5s", "300ms", "-1.5h", "0". kInvalid for anything
// else and for overflow.
Result<Duration> ParseDuration(std::string_view text);
// As Go prints it ("1m0s", "1.5s", "300ms", "0s").
std::string Print(Duration span);

}  // namespace ballast
