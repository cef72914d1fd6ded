#include "operator/calendar/wall_windows.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

namespace ballast::calendar {
namespace {

api::CivilDate CivilDateOf(WallDate date) {
  const std::chrono::year_month_day day{std::chrono::sys_days(std::chrono::days(date.days))};
  return {static_cast<std::int16_t>(int{day.year()}),
          static_cast<std::int8_t>(unsigned{day.month()}),
          static_cast<std::int8_t>(unsigned{day.day()})};
}

std::int64_t MinutesOf(Duration span) { return span.nanoseconds / 60'000'000'000; }

}  // namespace

WallWindows::WallWindows(api::Recurrence recurrence)
    : recurrence_(std::move(recurrence)), spans_(SpansOf(recurrence_)) {}

std::vector<WallWindows::DaySpan> WallWindows::SpansOf(const api::Recurrence& recurrence) {
  if (const auto* daily = std::get_if<api::DailyTimes>(&recurrence.times)) {
    return {{daily->from, daily->to > daily->from ? daily->to : daily->to + kMinutesOfDay}};
  }
  const auto& cron = std::get<api::CronTimes>(recurrence.times);
  const std::int64_t length = MinutesOf(cron.lasts);
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

bool WallWindows::StartsOn(WallDate date) const {
  const api::CivilDate day = CivilDateOf(date);
  const auto* cron = std::get_if<api::CronTimes>(&recurrence_.times);
  return (cron == nullptr || cron->starts.HasDay(day.month, day.day, date.weekday())) &&
         recurrence_.MayStartOn(day);
}

std::optional<WallWindows::SpanPlace> WallWindows::FirstFrom(WallDate date, WallDate last) const {
  for (; date <= last; ++date.days) {
    if (StartsOn(date)) {
      return SpanPlace{date, 0};
    }
  }
  return std::nullopt;
}

std::optional<WallWindows::SpanPlace> WallWindows::After(const SpanPlace& place,
                                                         WallDate last) const {
  return place.span + 1 < spans_.size() ? SpanPlace{place.date, place.span + 1}
                                        : FirstFrom({place.date.days + 1}, last);
}

std::optional<WallWindows::SpanPlace> WallWindows::Before(const SpanPlace& place,
                                                          WallDate first) const {
  if (place.span > 0) {
    return SpanPlace{place.date, place.span - 1};
  }
  for (WallDate date{place.date.days - 1}; date >= first; --date.days) {
    if (StartsOn(date)) {
      return SpanPlace{date, spans_.size() - 1};
    }
  }
  return std::nullopt;
}

std::optional<WallWindow> WallWindows::FirstEndingAfter(WallTime wall) const {
  if (spans_.empty()) {
    return std::nullopt;
  }
  const WallDate today = wall.date();
  const WallDate last{today.days + kHorizon};
  auto place = FirstFrom({today.days - spans_.back().end / kMinutesOfDay}, last);
  while (place && EndOf(*place) <= wall) {
    place = After(*place, last);
  }
  if (!place) {
    return std::nullopt;
  }
  WallWindow window{BeginOf(*place), EndOf(*place)};
  for (auto next = After(*place, last); next && BeginOf(*next) <= window.end;
       next = After(*next, last)) {
    window.end = EndOf(*next);
  }
  // What began on an earlier date has ended before the window begins, or the search ends there.
  const auto first = [&] {
    return WallDate{std::max(today.days - kHorizon,
                             window.begin.date().days - spans_.back().end / kMinutesOfDay - 1)};
  };
  for (auto before = Before(*place, first()); before && EndOf(*before) >= window.begin;
       before = Before(*before, first())) {
    window.begin = BeginOf(*before);
  }
  return window;
}

}  // namespace ballast::calendar
