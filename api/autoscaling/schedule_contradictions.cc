#include "api/autoscaling/schedule_contradictions.h"

#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
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

// When the windows of a schedule are. Each of its weeks is made once, when a pair asks for it.
class Times {
 public:
  explicit Times(const Schedule& schedule) : schedule_(schedule) {
    FieldErrors ignored;
    recurrence_ = ReadRecurrence(schedule, "", ignored);
  }

  // Whether for certain each window lies within windows of `outer`.
  bool LieWithin(Times& outer) {
    if (!recurrence_ || !outer.recurrence_ || schedule_.time_zone != outer.schedule_.time_zone) {
      return false;
    }
    const bool same_starts = !schedule_.cron.empty() && schedule_.cron == outer.schedule_.cron &&
                             outer.recurrence_->only.empty() && outer.recurrence_->except.empty();
    return (same_starts && LengthOf(*recurrence_) <= LengthOf(*outer.recurrence_)) ||
           (Made(some_week_, &StartDays::some_week) &
            ~outer.Made(outer.each_week_, &StartDays::each_week))
               .none();
  }

 private:
  const WeekMinutes& Made(std::optional<WeekMinutes>& week, WeekdaySet StartDays::*days) {
    return week ? *week : week.emplace(MinutesOf(*recurrence_, StartDaysOf(*recurrence_).*days));
  }

  const Schedule& schedule_;
  std::optional<Recurrence> recurrence_;  // absent: it is wrong
  std::optional<WeekMinutes> each_week_;  // as StartDays, like the next
  std::optional<WeekMinutes> some_week_;
};

}  // namespace

FieldErrors FindContradictions(const AutoscalerSpec& spec) {
  const std::vector<Schedule> schedules = spec.schedules.Unpack();
  std::map<std::size_t, Times> asked;
  const auto times_of = [&](std::size_t i) -> Times& {
    return asked.try_emplace(i, schedules[i]).first->second;
  };
  FieldErrors errors;
  for (std::size_t i = 0; i < schedules.size() && schedules.size() <= kMostSchedules; ++i) {
    for (std::size_t j = 0; j < schedules.size(); ++j) {
      const auto& most = schedules[i].max_replicas;
      const auto& least = schedules[j].min_replicas;
      if (i != j && most && least && *most < *least && times_of(i).LieWithin(times_of(j))) {
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
