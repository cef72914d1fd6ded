#include "api/base/time.h"

#include <algorithm>
#include <limits>

#include "api/base/digit.h"

namespace ballast {

namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::int64_t kMaxNanos = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinNanos = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kFirstSecond = -62'167'219'200;  // 0000-01-01T00:00:00Z
constexpr std::int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z

// Converts between dates of the Gregorian calendar and days since 1970-01-01. The year is made to
// begin in March, so that the leap day is its last day and the months follow a linear formula
// (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
std::int64_t DaysFromDate(std::int64_t year, unsigned month, unsigned day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const auto year_of_era = static_cast<unsigned>(year - era * 400);
  const unsigned day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const unsigned day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + static_cast<std::int64_t>(day_of_era) - 719468;
}

struct Date {
  std::int64_t year;
  unsigned month;
  unsigned day;
};

Date DateFromDays(std::int64_t days) {
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const auto day_of_era = static_cast<unsigned>(days - era * 146097);
  const unsigned year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const unsigned day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const unsigned shifted_month = (5 * day_of_year + 2) / 153;
  const unsigned month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  return {static_cast<std::int64_t>(year_of_era) + era * 400 + (month <= 2 ? 1 : 0), month,
          day_of_year - (153 * shifted_month + 2) / 5 + 1};
}

unsigned DaysInMonth(std::int64_t year, unsigned month) {
  constexpr unsigned kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[month - 1];
}

// Reads a text from left to right. The first mismatch makes ok() false for good.
class TimeScanner {
 public:
  explicit TimeScanner(std::string_view text) : text_(text) {}

  // Exactly `digits` digits.
  unsigned Number(int digits) {
    unsigned value = 0;
    for (int i = 0; i < digits; ++i) {
      if (text_.empty() || !IsDigit(text_.front())) {
        ok_ = false;
        return 0;
      }
      value = value * 10 + static_cast<unsigned>(text_.front() - '0');
      text_.remove_prefix(1);
    }
    return value;
  }
  bool Accept(char c) {
    if (text_.empty() || text_.front() != c) {
      return false;
    }
    text_.remove_prefix(1);
    return true;
  }
  void Expect(char c) { ok_ = Accept(c) && ok_; }
  // At least one digit, as nanoseconds; digits beyond the ninth are dropped.
  std::int32_t Fraction() {
    if (text_.empty() || !IsDigit(text_.front())) {
      ok_ = false;
    }
    std::int32_t nanos = 0;
    std::int32_t unit = 100'000'000;
    while (!text_.empty() && IsDigit(text_.front())) {
      nanos += (text_.front() - '0') * unit;
      unit /= 10;
      text_.remove_prefix(1);
    }
    return nanos;
  }
  bool ok() const { return ok_; }
  bool at_end() const { return text_.empty(); }

 private:
  std::string_view text_;
  bool ok_ = true;
};

// Appends the digits of `fraction` (of `width` digits), without trailing zeros unless kept.
void AppendFraction(std::string& out, std::int64_t fraction, std::size_t width, bool keep_zeros) {
  std::string digits = std::to_string(fraction);
  digits.insert(0, width - digits.size(), '0');
  while (!keep_zeros && digits.back() == '0') {
    digits.pop_back();
  }
  out += '.';
  out += digits;
}

void AppendPadded(std::string& out, std::int64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  out.append(width > digits.size() ? width - digits.size() : 0, '0');
  out += digits;
}

// "2026-04-08T02:42:29"
std::string PrintToSeconds(Time time) {
  std::int64_t days = time.unix_seconds() / 86400;
  std::int64_t rest = time.unix_seconds() % 86400;
  if (rest < 0) {
    rest += 86400;
    --days;
  }
  const Date date = DateFromDays(days);
  std::string out;
  out.reserve(32);
  AppendPadded(out, date.year, 4);
  out += '-';
  AppendPadded(out, date.month, 2);
  out += '-';
  AppendPadded(out, date.day, 2);
  out += 'T';
  AppendPadded(out, rest / 3600, 2);
  out += ':';
  AppendPadded(out, rest / 60 % 60, 2);
  out += ':';
  AppendPadded(out, rest % 60, 2);
  return out;
}

Error NotATime(std::string_view text) {
  return {Code::kInvalid, "not an RFC 3339 time: \"" + std::string(text) + '"'};
}

Error NotADuration(std::string_view text) {
  return {Code::kInvalid, "not a duration like \"1m30s\": \"" + std::string(text) + '"'};
}

// Removes the unit that `text` begins with and returns its nanoseconds; 0 if there is none. Longer
// names come first in the table: "ms" before "m".
std::int64_t TakeUnit(std::string_view& text) {
  constexpr struct {
    std::string_view name;
    std::int64_t nanos;
  } kUnits[] = {{"ns", 1},
                {"us", 1'000},
                {"\u00b5s", 1'000},  // micro sign
                {"\u03bcs", 1'000},  // Greek mu
                {"ms", 1'000'000},
                {"s", kNanosPerSecond},
                {"m", 60 * kNanosPerSecond},
                {"h", 3600 * kNanosPerSecond}};
  for (const auto& unit : kUnits) {
    if (text.starts_with(unit.name)) {
      text.remove_prefix(unit.name.size());
      return unit.nanos;
    }
  }
  return 0;
}

}  // namespace

Time Time::FromUnixNanoseconds(std::int64_t nanoseconds) {
  std::int64_t seconds = nanoseconds / kNanosPerSecond;
  std::int64_t rest = nanoseconds % kNanosPerSecond;
  if (rest < 0) {
    rest += kNanosPerSecond;
    --seconds;
  }
  return {seconds, static_cast<std::int32_t>(rest)};
}

std::int64_t Time::unix_nanoseconds() const { return (*this - Time(0, 0)).nanoseconds; }

Time operator+(Time time, Duration span) {
  std::int64_t seconds = time.seconds_ + span.nanoseconds / kNanosPerSecond;
  std::int64_t nanos = time.nanoseconds_ + span.nanoseconds % kNanosPerSecond;
  if (nanos < 0) {
    nanos += kNanosPerSecond;
    --seconds;
  } else if (nanos >= kNanosPerSecond) {
    nanos -= kNanosPerSecond;
    ++seconds;
  }
  if (seconds < kFirstSecond) {
    return {kFirstSecond, 0};
  }
  if (seconds > kLastSecond) {
    return {kLastSecond, 999'999'999};
  }
  return {seconds, static_cast<std::int32_t>(nanos)};
}

Time operator-(Time time, Duration span) {
  // The smallest span has no negation in 64 bits. Being off by one nanosecond in 292 years does not
  // matter.
  return time + Duration{-std::max(span.nanoseconds, -kMaxNanos)};
}

Duration operator-(Time later, Time earlier) {
  const std::int64_t seconds = later.seconds_ - earlier.seconds_;
  const std::int64_t nanos = later.nanoseconds_ - earlier.nanoseconds_;
  std::int64_t total = 0;
  if (__builtin_mul_overflow(seconds, kNanosPerSecond, &total) ||
      __builtin_add_overflow(total, nanos, &total)) {
    return {seconds > 0 ? kMaxNanos : kMinNanos};
  }
  return {total};
}

Result<Time> ParseTime(std::string_view text) {
  TimeScanner in(text);
  const unsigned year = in.Number(4);
  in.Expect('-');
  const unsigned month = in.Number(2);
  in.Expect('-');
  const unsigned day = in.Number(2);
  in.Expect('T');
  const unsigned hour = in.Number(2);
  in.Expect(':');
  const unsigned minute = in.Number(2);
  in.Expect(':');
  const unsigned second = in.Number(2);
  const std::int32_t nanos = in.Accept('.') || in.Accept(',') ? in.Fraction() : 0;
  std::int64_t offset = 0;
  if (!in.Accept('Z')) {
    const bool east = in.Accept('+');
    if (!east) {
      in.Expect('-');
    }
    const unsigned hours = in.Number(2);
    in.Expect(':');
    const unsigned minutes = in.Number(2);
    if (hours > 24 || minutes > 59) {
      return NotATime(text);
    }
    offset = static_cast<std::int64_t>(hours * 3600 + minutes * 60) * (east ? 1 : -1);
  }
  if (!in.ok() || !in.at_end() || month < 1 || month > 12 || day < 1 ||
      day > DaysInMonth(year, month) || hour > 23 || minute > 59 || second > 59) {
    return NotATime(text);
  }
  const std::int64_t seconds = DaysFromDate(year, month, day) * 86400 +
                               static_cast<std::int64_t>(hour * 3600 + minute * 60 + second) -
                               offset;
  return Time(std::clamp(seconds, kFirstSecond, kLastSecond), nanos);
}

std::string Print(Time time) {
  std::string out = PrintToSeconds(time);
  if (time.nanoseconds() != 0) {
    AppendFraction(out, time.nanoseconds(), 9, false);
  }
  out += 'Z';
  return out;
}

std::string PrintMicro(Time time) {
  std::string out = PrintToSeconds(time);
  AppendFraction(out, time.nanoseconds() / 1000, 6, true);
  out += 'Z';
  return out;
}

Result<Duration> ParseDuration(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) {
    rest.remove_prefix(1);
  }
  if (rest == "0") {
    return Duration{};
  }
  if (rest.empty()) {
    return NotADuration(text);
  }
  std::int64_t total = 0;  // kept negative: the negative range is the larger one
  while (!rest.empty()) {
    std::int64_t whole = 0;
    std::int64_t fraction = 0;
    double fraction_scale = 1;
    std::size_t digits = 0;
    for (; !rest.empty() && IsDigit(rest.front()); rest.remove_prefix(1), ++digits) {
      if (__builtin_mul_overflow(whole, 10, &whole) ||
          __builtin_sub_overflow(whole, rest.front() - '0', &whole)) {
        return NotADuration(text);
      }
    }
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      for (; !rest.empty() && IsDigit(rest.front()); rest.remove_prefix(1), ++digits) {
        if (fraction < kMaxNanos / 10 - 1) {  // further digits are below a nanosecond
          fraction = fraction * 10 + (rest.front() - '0');
          fraction_scale *= 10;
        }
      }
    }
    const std::int64_t unit = TakeUnit(rest);
    if (digits == 0 || unit == 0 || __builtin_mul_overflow(whole, unit, &whole)) {
      return NotADuration(text);
    }
    const auto part = static_cast<std::int64_t>(static_cast<double>(fraction) *
                                                (static_cast<double>(unit) / fraction_scale));
    if (__builtin_add_overflow(total, whole, &total) ||
        __builtin_sub_overflow(total, part, &total)) {
      return NotADuration(text);
    }
  }
  if (!negative && total == kMinNanos) {
    return NotADuration(text);
  }
  return Duration{negative ? total : -total};
}

std::string Print(Duration span) {
  if (span.nanoseconds == 0) {
    return "0s";
  }
  const bool negative = span.nanoseconds < 0;
  const std::uint64_t nanos = negative ? 0 - static_cast<std::uint64_t>(span.nanoseconds)
                                       : static_cast<std::uint64_t>(span.nanoseconds);
  std::string out = negative ? "-" : "";
  const auto with_fraction = [&out](std::uint64_t value, std::uint64_t unit, std::size_t width) {
    out += std::to_string(value / unit);
    if (value % unit != 0) {
      AppendFraction(out, static_cast<std::int64_t>(value % unit), width, false);
    }
  };
  if (nanos < 1'000) {
    return out + std::to_string(nanos) + "ns";
  }
  if (nanos < 1'000'000) {
    with_fraction(nanos, 1'000, 3);
    return out + "\u00b5s";
  }
  if (nanos < 1'000'000'000) {
    with_fraction(nanos, 1'000'000, 6);
    return out + "ms";
  }
  constexpr std::uint64_t kMinute = 60'000'000'000;
  const std::uint64_t minutes = nanos / kMinute;
  if (minutes >= 60) {
    out += std::to_string(minutes / 60) + 'h';
  }
  if (minutes > 0) {
    out += std::to_string(minutes % 60) + 'm';
  }
  with_fraction(nanos % kMinute, 1'000'000'000, 9);
  return out + 's';
}

}  // namespace ballast
