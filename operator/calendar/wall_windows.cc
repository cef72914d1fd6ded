#include "operator/calendar/wall_windows.h"

#include <algorithm>
#include <utility>

namespace ballast::calendar {

WallWindows::WallWindows(api::Recurrence recurrence)
    : recurrence_(std::move(recurrence)), spans_(recurrence_.Spans()) {}

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
