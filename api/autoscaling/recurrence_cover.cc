#include "api/autoscaling/recurrence_cover.h"

#include <algorithm>
#include <bitset>
#include <chrono>
#include <iterator>
#include <unordered_set>
#include <variant>
#include <vector>

namespace ballast::api {
namespace {

constexpr std::int64_t kDayMinutes = 24 * 60;
constexpr std::uint16_t kEveryMonth = 0x1ffe;  // as Cron::months

// Within 28 years there is each kind of year: leap years and others, from each day of the week on.
// On the kind of a day's year depends what starts on it, and around it: of the years beside, these
// are January, December and some days of November.
constexpr std::chrono::year kFirstYear{2001};
constexpr std::chrono::years kEachKind{28};

std::int64_t FirstDayOf(std::chrono::year year) {
  return std::chrono::sys_days(year / 1 / 1).time_since_epoch().count();
}

// Whether each week is like the next, but for dates.
bool IsWeekly(const Recurrence& recurrence) {
  const auto* cron = std::get_if<CronTimes>(&recurrence.times);
  return cron == nullptr || (cron->starts.months == kEveryMonth && cron->starts.any_day_of_month);
}

class Cover {
 public:
  Cover(const Recurrence& inner, const Recurrence& outer, std::int64_t minutes_before)
      : inner_(inner), outer_(outer), inner_spans_(inner.Spans()), outer_spans_(outer.Spans()) {
    for (DaySpan& span : inner_spans_) {
      span.begin -= minutes_before;
    }
    before_ = (outer_spans_.back().end - inner_spans_.front().begin) / kDayMinutes;
    after_ = inner_spans_.back().end / kDayMinutes;
  }

  bool IsWhole() {
    if (!inner_.only.empty()) {
      return std::ranges::all_of(inner_.only, [&](const CivilDate& date) {
        const std::int64_t day = DayNumberOf(date);
        return Has(inner_, outer_, day, day);
      });
    }
    return outer_.only.empty() && HasWithoutDates() &&
           std::ranges::all_of(outer_.except, [&](const CivilDate& date) {
             const std::int64_t day = DayNumberOf(date);
             return Has(inner_, outer_, day - after_, day + before_);
           });
  }

 private:
  // On which of the days around one the outer one starts; the first is `before_` days earlier.
  // Enough for a month before, one after, and what comes before a window.
  using StartDays = std::bitset<72>;

  bool HasWithoutDates() {
    const std::int64_t first = FirstDayOf(kFirstYear);
    const std::int64_t last =
        IsWeekly(inner_) && IsWeekly(outer_) ? first + 6 : FirstDayOf(kFirstYear + kEachKind) - 1;
    return Has({.times = inner_.times, .except = {}, .only = {}},
               {.times = outer_.times, .except = {}, .only = {}}, first, last);
  }

  // Whether what `inner` starts on these days lies within windows of `outer`.
  bool Has(const Recurrence& inner, const Recurrence& outer, std::int64_t first,
           std::int64_t last) {
    StartDays near;
    const auto newest = static_cast<std::size_t>(before_ + after_);
    for (std::int64_t day = first - before_ - after_; day <= last; ++day) {
      near >>= 1;
      near.set(newest, outer.MayStartOn(DateOf(day + after_)));
      const bool starts = day >= first && inner.MayStartOn(DateOf(day));
      if (starts && seen_.insert(near).second && !HasDay(near)) {
        return false;
      }
    }
    return true;
  }

  bool HasDay(const StartDays& near) const {
    const std::vector<DaySpan> windows = WindowsOf(near);
    return std::ranges::all_of(inner_spans_, [&](const DaySpan& span) {
      const auto next = std::ranges::upper_bound(windows, span.begin, {}, &DaySpan::begin);
      return next != windows.begin() && std::prev(next)->end >= span.end;
    });
  }

  // The windows of the outer one; those that touch or overlap are one.
  std::vector<DaySpan> WindowsOf(const StartDays& near) const {
    std::vector<DaySpan> windows;
    for (std::int64_t i = 0; i <= before_ + after_; ++i) {
      if (!near.test(static_cast<std::size_t>(i))) {
        continue;
      }
      const std::int64_t midnight = (i - before_) * kDayMinutes;
      for (const DaySpan& span : outer_spans_) {
        if (windows.empty() || windows.back().end < midnight + span.begin) {
          windows.push_back({midnight + span.begin, midnight + span.end});
        } else {
          windows.back().end = midnight + span.end;
        }
      }
    }
    return windows;
  }

  const Recurrence& inner_;
  const Recurrence& outer_;
  std::vector<DaySpan> inner_spans_;
  const std::vector<DaySpan> outer_spans_;
  // So many days earlier and later what the outer one starts may have a part of what the inner one
  // starts.
  std::int64_t before_ = 0;
  std::int64_t after_ = 0;
  std::unordered_set<StartDays> seen_;
};

}  // namespace

bool LieWithin(const Recurrence& inner, const Recurrence& outer, std::int64_t minutes_before) {
  return Cover(inner, outer, minutes_before).IsWhole();
}

bool IsAlwaysOpen(const Recurrence& recurrence) {
  return LieWithin({.times = DailyTimes{kEveryDay, 0, kDayMinutes}, .except = {}, .only = {}},
                   recurrence);
}

}  // namespace ballast::api
