// When the windows of one schedule are, as a clock on the wall shows them. Windows that touch or
// overlap are one.
//
// Of a cron expression and a duration, too, both ends are by the wall: a window that begins at
// 08:00 and lasts for ten hours ends at 18:00.
//
// A search ends after kHorizon, so that a date that never comes costs no more than that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "api/autoscaling/recurrence.h"
#include "operator/calendar/wall_time.h"

namespace ballast::calendar {

// How far windows are looked for, in days either way. A window that goes on for longer ends there.
inline constexpr std::int64_t kHorizon = 400;

struct WallWindow {
  WallTime begin;
  WallTime end;  // no part of it
};

class WallWindows {
 public:
  explicit WallWindows(api::Recurrence recurrence);

  // The first window, whole, that ends after `wall`; absent: none begins in time.
  std::optional<WallWindow> FirstEndingAfter(WallTime wall) const;

 private:
  struct SpanPlace {
    WallDate date;
    std::size_t span = 0;
  };

  bool StartsOn(WallDate date) const { return recurrence_.MayStartOn(api::DateOf(date.days)); }
  WallTime BeginOf(const SpanPlace& place) const {
    return At(place.date, spans_[place.span].begin);
  }
  WallTime EndOf(const SpanPlace& place) const { return At(place.date, spans_[place.span].end); }
  std::optional<SpanPlace> FirstFrom(WallDate date, WallDate last) const;
  std::optional<SpanPlace> After(const SpanPlace& place, WallDate last) const;
  std::optional<SpanPlace> Before(const SpanPlace& place, WallDate first) const;

  api::Recurrence recurrence_;
  std::vector<api::DaySpan> spans_;
};

}  // namespace ballast::calendar
