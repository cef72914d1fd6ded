#include "api/autoscaling/recurrence.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/base/digit.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {
namespace {

constexpr std::string_view kDayNames[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr int kDaysOfWeek = 7;
constexpr std::int16_t kMinutesOfDay = 24 * 60;
constexpr Duration kMinute = Duration::Seconds(60);
constexpr Duration kLongest = Duration::Seconds(31 * 24 * 3600);

// As written, with two digits each: the number, or -1.
int TwoDigits(std::string_view text) {
  return text.size() == 2 && IsAllDigits(text) ? (text[0] - '0') * 10 + (text[1] - '0') : -1;
}

// "08:00" in minutes after midnight; -1: it is no time of day.
int MinutesOf(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') {
    return -1;
  }
  const int hour = TwoDigits(text.substr(0, 2));
  const int minute = TwoDigits(text.substr(3));
  const bool fits = hour >= 0 && minute >= 0 && minute < 60 && hour * 60 + minute <= kMinutesOfDay;
  return fits ? hour * 60 + minute : -1;
}

// 0 is Sunday; -1: it is no name of a day.
int DayOf(std::string_view name) {
  const auto* const found = std::ranges::find(kDayNames, name);
  return found == std::end(kDayNames) ? -1 : static_cast<int>(found - std::begin(kDayNames));
}

// "Mon" or "Fri-Mon"; 0: it is neither.
WeekdaySet DaysOf(std::string_view text) {
  const std::size_t dash = text.find('-');
  const int first = DayOf(text.substr(0, dash));
  const int last = dash == std::string_view::npos ? first : DayOf(text.substr(dash + 1));
  if (first < 0 || last < 0) {
    return 0;
  }
  WeekdaySet days = 0;
  for (int day = first;; day = (day + 1) % kDaysOfWeek) {
    days = static_cast<WeekdaySet>(days | 1 << day);
    if (day == last) {
      return days;
    }
  }
}

std::string NearDay(const std::string& text) {
  // "Monday", "mon", "MON"
  std::string start = text.substr(0, 3);
  for (std::size_t i = 0; i < start.size(); ++i) {
    start[i] = static_cast<char>(i == 0 ? start[i] & ~0x20 : start[i] | 0x20);
  }
  return DayOf(start) < 0 || text.find('-') != std::string::npos ? ""
                                                                 : "; did you mean " + start + "?";
}

std::chrono::year_month_day Chrono(const CivilDate& date) {
  return std::chrono::year_month_day(std::chrono::year(date.year),
                                     std::chrono::month(static_cast<unsigned>(date.month)),
                                     std::chrono::day(static_cast<unsigned>(date.day)));
}

// "2026-12-25"; nullopt: it is no such day.
std::optional<CivilDate> ParseDate(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') {
    return std::nullopt;
  }
  const int century = TwoDigits(text.substr(0, 2));
  const int year = TwoDigits(text.substr(2, 2));
  const int month = TwoDigits(text.substr(5, 2));
  const int day = TwoDigits(text.substr(8));
  if (century < 0 || year < 0 || month < 0 || day < 0) {
    return std::nullopt;
  }
  const CivilDate date{static_cast<std::int16_t>(century * 100 + year),
                       static_cast<std::int8_t>(month), static_cast<std::int8_t>(day)};
  return Chrono(date).ok() ? std::optional(date) : std::nullopt;
}

class ScheduleReader {
 public:
  ScheduleReader(const Schedule& schedule, std::string path, FieldErrors& errors)
      : schedule_(schedule), path_(std::move(path)), errors_(errors) {}

  std::optional<Recurrence> Read() {
    const std::size_t before = errors_.size();
    const bool daily = !schedule_.from.empty() || !schedule_.to.empty();
    const bool by_cron = !schedule_.cron.empty() || !schedule_.duration.empty();
    Recurrence out;
    if (daily && by_cron) {
      Add(schedule_.cron.empty() ? "duration" : "cron",
          "must not be set beside from and to; keep one of the two");
    } else if (by_cron) {
      out.times = ReadCron();
    } else if (daily) {
      out.times = ReadDaily();
    } else {
      Add("from", "must be set, with to; or else cron with duration");
    }
    out.except = ReadDates(schedule_.except, "except");
    out.only = ReadDates(schedule_.only, "only");
    std::ranges::sort(out.except);
    std::ranges::sort(out.only);
    if (errors_.size() == before) {
      CheckOnly(out);
    }
    return errors_.size() == before ? std::optional(std::move(out)) : std::nullopt;
  }

 private:
  void Add(const std::string& field, std::string message) {
    errors_.Add(path_ + "." + field, std::move(message));
  }

  int ReadTime(const std::string& text, const char* field) {
    const int minutes = MinutesOf(text);
    if (text.empty()) {
      Add(field, "must be set, because its other end is");
    } else if (minutes < 0) {
      Add(field, "must be a time of day like \"08:00\", in quotes, is " + Quote(text));
    }
    return minutes;
  }

  DailyTimes ReadDaily() {
    const int from = ReadTime(schedule_.from, "from");
    const int to = ReadTime(schedule_.to, "to");
    if (from == kMinutesOfDay) {
      Add("from", "must be \"23:59\" or earlier; a day begins at \"00:00\"");
    }
    if (from >= 0 && from == to) {
      Add("to",
          "must differ from from; a whole day is from \"00:00\" to \"24:00\", and 24 hours from "
          "another "
          "time are cron with duration: 24h");
    }
    WeekdaySet days = schedule_.days.empty() ? kEveryDay : 0;
    for (std::size_t i = 0; i < schedule_.days.size(); ++i) {
      const std::string& text = schedule_.days[i];
      const WeekdaySet some = DaysOf(text);
      if (some == 0) {
        Add("days[" + std::to_string(i) + "]",
            "must be days like Mon, Sat-Sun or Mon-Fri, is " + Quote(text) + NearDay(text));
      }
      days = static_cast<WeekdaySet>(days | some);
    }
    return {days, static_cast<std::int16_t>(from), static_cast<std::int16_t>(to)};
  }

  CronTimes ReadCron() {
    CronTimes out;
    if (schedule_.cron.empty()) {
      Add("cron", "must be set beside duration");
    } else if (const auto cron = ParseCron(schedule_.cron); cron.ok()) {
      out.starts = *cron;
    } else {
      Add("cron", cron.error().message);
    }
    if (!schedule_.days.empty()) {
      Add("days", "must not be set beside cron, which has a day of week itself");
    }
    const auto lasts = ParseDuration(schedule_.duration);
    if (schedule_.duration.empty()) {
      Add("duration", "must be set beside cron, like 10h");
    } else if (!lasts.ok() || *lasts < kMinute || *lasts > kLongest ||
               lasts->nanoseconds % kMinute.nanoseconds != 0) {
      Add("duration",
          "must be whole minutes between 1m and 744h (31 days), like 10h or 1h30m, is " +
              Quote(schedule_.duration));
    } else {
      out.lasts = *lasts;
    }
    return out;
  }

  std::vector<CivilDate> ReadDates(const std::vector<std::string>& texts, const char* field) {
    std::vector<CivilDate> dates;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (const auto date = ParseDate(texts[i])) {
        dates.push_back(*date);
      } else {
        Add(field + ("[" + std::to_string(i) + "]"),
            "must be a day like \"2026-12-25\", is " + Quote(texts[i]));
      }
    }
    return dates;
  }

  void CheckOnly(const Recurrence& out) {
    for (std::size_t i = 0; i < schedule_.only.size(); ++i) {
      const std::string field = "only[" + std::to_string(i) + "]";
      const CivilDate date = *ParseDate(schedule_.only[i]);
      if (std::ranges::binary_search(out.except, date)) {
        Add(field, "must not be in except as well: " + schedule_.only[i]);
      } else if (!out.MayStartOn(date)) {
        Add(field, schedule_.only[i] + " is a " + std::string(kDayNames[WeekdayOf(date)]) +
                       ", on which " + (schedule_.cron.empty() ? "days say" : "cron says") +
                       " that no window starts");
      }
    }
  }

  const Schedule& schedule_;
  const std::string path_;
  FieldErrors& errors_;
};

}  // namespace

int WeekdayOf(const CivilDate& date) {
  return static_cast<int>(std::chrono::weekday(std::chrono::sys_days(Chrono(date))).c_encoding());
}

std::int64_t DayNumberOf(const CivilDate& date) {
  return std::chrono::sys_days(Chrono(date)).time_since_epoch().count();
}

CivilDate DateOf(std::int64_t day_number) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day_number))};
  return {static_cast<std::int16_t>(int{date.year()}),
          static_cast<std::int8_t>(unsigned{date.month()}),
          static_cast<std::int8_t>(unsigned{date.day()})};
}

bool Recurrence::MayStartOn(const CivilDate& date) const {
  if (std::ranges::binary_search(except, date) ||
      (!only.empty() && !std::ranges::binary_search(only, date))) {
    return false;
  }
  const int weekday = WeekdayOf(date);
  const auto* daily = std::get_if<DailyTimes>(&times);
  return daily != nullptr ? (daily->days >> weekday & 1) != 0
                          : std::get<CronTimes>(times).starts.HasDay(date.month, date.day, weekday);
}

std::vector<DaySpan> Recurrence::Spans() const {
  if (const auto* daily = std::get_if<DailyTimes>(&times)) {
    return {{daily->from, daily->to > daily->from ? daily->to : daily->to + kMinutesOfDay}};
  }
  const auto& cron = std::get<CronTimes>(times);
  const std::int64_t length = cron.lasts.nanoseconds / kMinute.nanoseconds;
  std::vector<DaySpan> spans;
  for (int hour = 0; hour < 24; ++hour) {
    for (int minute = 0; cron.starts.HasHour(hour) && minute < 60; ++minute) {
      const std::int64_t begin = hour * 60 + minute;
      if (!cron.starts.HasMinute(minute)) {
        continue;
      }
      if (spans.empty() || spans.back().end < begin) {
        spans.push_back({begin, begin + length});
      } else {
        spans.back().end = begin + length;
      }
    }
  }
  return spans;
}

std::optional<Recurrence> ReadRecurrence(const Schedule& schedule, const std::string& path,
                                         FieldErrors& errors) {
  return ScheduleReader(schedule, path, errors).Read();
}

}  // namespace ballast::api
