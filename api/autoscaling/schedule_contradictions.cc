#include "api/autoscaling/schedule_contradictions.h"

#include <bitset>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "api/autoscaling/recurrence.h"
#include "api/autoscaling/schedule_validation.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {
namespace {

constexpr int kDayMinutes = 24 * 60;
constexpr int kWeekMinutes = 7 * kDayMinutes;
constexpr std::uint16_t kEveryMonth = 0x1ffe;  // as Cron::months

// By the wall clock.
using WeekMinutes = std::bitset<kWeekMinutes>;

// The days on which windows start in each week, and those on which they may.
struct StartDays {
  WeekdaySet each_week = 0;
  WeekdaySet some_week = 0;
};

StartDays StartDaysOf(const Recurrence& recurrence) {
  StartDays days;
  if (const auto* daily = std::get_if<DailyTimes>(&recurrence.times)) {
    days = {daily->days, daily->days};
  } else {
    const Cron& cron = std::get<CronTimes>(recurrence.times).starts;
    // Beside restricted days of the month, those of the week suffice, if they are restricted, too.
    const bool weekly =
        cron.months == kEveryMonth && (cron.any_day_of_month || !cron.any_day_of_week);
    days = {weekly ? cron.days_of_week : WeekdaySet{0},
            cron.any_day_of_month ? cron.days_of_week : kEveryDay};
  }
  if (!recurrence.only.empty() || !recurrence.except.empty()) {
    days.each_week = 0;
  }
  return days;
}

// The minutes of a day at which windows start.
std::vector<int> StartMinutesOf(const Recurrence& recurrence) {
  if (const auto* daily = std::get_if<DailyTimes>(&recurrence.times)) {
    return {daily->from};
  }
  const Cron& cron = std::get<CronTimes>(recurrence.times).starts;
  std::vector<int> minutes;
  for (int i = 0; i < kDayMinutes; ++i) {
    if (cron.HasHour(i / 60) && cron.HasMinute(i % 60)) {
      minutes.push_back(i);
    }
  }
  return minutes;
}

// How long each window is, in minutes.
std::int64_t LengthOf(const Recurrence& recurrence) {
  if (const auto* daily = std::get_if<DailyTimes>(&recurrence.times)) {
    return (daily->to > daily->from ? 0 : kDayMinutes) + daily->to - daily->from;
  }
  return std::get<CronTimes>(recurrence.times).lasts.nanoseconds / 60'000'000'000;
}

// The minutes of windows that start on these days of each week.
WeekMinutes MinutesOf(const Recurrence& recurrence, WeekdaySet days) {
  WeekMinutes starts;
  for (const int minute : StartMinutesOf(recurrence)) {
    for (int day = 0; day < 7; ++day) {
      if ((days >> day & 1) != 0) {
        starts.set(static_cast<std::size_t>(day * kDayMinutes + minute));
      }
    }
  }
  const std::int64_t length = LengthOf(recurrence);
  WeekMinutes minutes;
  std::int64_t end = 0;                         // of the last one that started
  for (int i = 0; i < 2 * kWeekMinutes; ++i) {  // the second week has what began in the first
    const auto minute = static_cast<std::size_t>(i % kWeekMinutes);
    if (starts[minute]) {
      end = i + length;
    }
    if (i < end) {
      minutes.set(minute);
    }
  }
  return minutes;
}

// Whether for certain each window of `inner` lies within windows of `outer`.
bool LiesWithin(const Schedule& inner, const Schedule& outer) {
  FieldErrors wrong;
  const auto inside = ReadRecurrence(inner, "", wrong);
  const auto around = ReadRecurrence(outer, "", wrong);
  if (!inside || !around || inner.time_zone != outer.time_zone) {
    return false;
  }
  const bool same_starts = !inner.cron.empty() && inner.cron == outer.cron &&
                           around->only.empty() && around->except.empty();
  return (same_starts && LengthOf(*inside) <= LengthOf(*around)) ||
         (MinutesOf(*inside, StartDaysOf(*inside).some_week) &
          ~MinutesOf(*around, StartDaysOf(*around).each_week))
             .none();
}

}  // namespace

FieldErrors FindContradictions(const AutoscalerSpec& spec) {
  const std::vector<Schedule> schedules = spec.schedules.Unpack();
  FieldErrors errors;
  for (std::size_t i = 0; i < schedules.size() && schedules.size() <= kMostSchedules; ++i) {
    for (std::size_t j = 0; j < schedules.size(); ++j) {
      const auto& most = schedules[i].max_replicas;
      const auto& least = schedules[j].min_replicas;
      if (i != j && most && least && *most < *least && LiesWithin(schedules[i], schedules[j])) {
        errors.Add(SchedulePath(i) + ".maxReplicas",
                   "never counts: " + std::to_string(*most) + " is less than the minReplicas " +
                       std::to_string(*least) + " of " + SchedulePath(j) + " (" +
                       Quote(schedules[j].name) +
                       "), which has all of its times, and a floor beats a ceiling");
      }
    }
  }
  return errors;
}

}  // namespace ballast::api
