#include "operator/cli/manifests/keda_cron.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "api/autoscaling/cron.h"
#include "api/autoscaling/recurrence.h"
#include "operator/cli/manifests/keda_fields.h"

namespace ballast::cli {
namespace {

constexpr int kDayMinutes = 24 * 60;
constexpr std::uint16_t kEachMonth = 0x1FFE;  // bits 1..12

// The minute of the day, of a cron expression that has one.
Result<int> MinuteOf(const api::Cron& cron, const char* member) {
  if (std::popcount(cron.minutes) != 1 || std::popcount(cron.hours) != 1) {
    return Error{Code::kInvalid, std::string(member) +
                                     " names several times of a day, so the windows may have "
                                     "different lengths; write a schedule for each"};
  }
  return std::countr_zero(cron.hours) * 60 + std::countr_zero(cron.minutes);
}

bool HasDatesOfMonths(const api::Cron& cron) {
  return !cron.any_day_of_month || cron.months != kEachMonth;
}

bool SameDays(const api::Cron& a, const api::Cron& b) {
  return a.days_of_month == b.days_of_month && a.months == b.months &&
         a.days_of_week == b.days_of_week && a.any_day_of_month == b.any_day_of_month &&
         a.any_day_of_week == b.any_day_of_week;
}

api::WeekdaySet DayAfter(api::WeekdaySet days) {
  return static_cast<api::WeekdaySet>((days << 1 | days >> 6) & api::kEveryDay);
}

std::string TwoDigits(int number) { return (number < 10 ? "0" : "") + std::to_string(number); }

std::string TimeOf(int minute) { return TwoDigits(minute / 60) + ":" + TwoDigits(minute % 60); }

// "Mon-Fri", "Sun": from Monday on.
std::vector<std::string> NamesOf(api::WeekdaySet days) {
  constexpr const char* kNames[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  std::vector<std::string> names;
  if (days == api::kEveryDay) {
    return names;
  }
  const auto has = [days](int i) { return i < 7 && (days >> ((i + 1) % 7) & 1) != 0; };
  for (int first = 0; first < 7; ++first) {
    if (!has(first)) {
      continue;
    }
    int last = first;
    while (has(last + 1)) {
      ++last;
    }
    names.emplace_back(kNames[(first + 1) % 7]);
    if (last > first) {
      names.back() += std::string("-") + kNames[(last + 1) % 7];
    }
    first = last;
  }
  return names;
}

}  // namespace

Result<CronConversion> ScheduleOfCron(const KedaCron& cron) {
  const auto read = [](const std::string& text, const char* member) -> Result<api::Cron> {
    const auto parsed = api::ParseCron(text);
    return parsed.ok() ? parsed : parsed.error().In(member);
  };
  ASSIGN_OR_RETURN(const api::Cron start, read(cron.start, "metadata.start"));
  ASSIGN_OR_RETURN(const api::Cron end, read(cron.end, "metadata.end"));
  ASSIGN_OR_RETURN(const int from, MinuteOf(start, "metadata.start"));
  ASSIGN_OR_RETURN(const int to, MinuteOf(end, "metadata.end"));
  CronConversion made;
  made.schedule.time_zone = cron.time_zone;
  if (HasDatesOfMonths(start) || HasDatesOfMonths(end)) {
    if (!SameDays(start, end) || to <= from) {
      return Error{Code::kInvalid,
                   "metadata.start and metadata.end are not on the same dates; write a schedule "
                   "with cron and duration, or with the dates in `only`"};
    }
    made.schedule.cron = cron.start;
    made.schedule.duration = std::to_string(to - from) + "m";
    return made;
  }
  const bool over_midnight = to <= from;
  const api::WeekdaySet ends = over_midnight ? DayAfter(start.days_of_week) : start.days_of_week;
  if (end.days_of_week != ends && end.days_of_week != api::kEveryDay) {
    return Error{Code::kInvalid,
                 "metadata.end does not come once after each metadata.start, within a day; write a "
                 "schedule with cron and duration"};
  }
  if (end.days_of_week != ends) {
    made.difference =
        "each window ends with the first end after its start; KEDA keeps the replicas up as well "
        "from an end without a start before it to the next one";
  }
  if (to == from && from != 0) {  // a day that does not begin at midnight has no wall times
    made.schedule.cron = cron.start;
    made.schedule.duration = "24h";
    return made;
  }
  made.schedule.days = NamesOf(start.days_of_week);
  made.schedule.from = TimeOf(from);
  made.schedule.to = TimeOf(to == 0 ? kDayMinutes : to);
  return made;
}

std::optional<api::Schedule> ScheduleOfTrigger(const json::Cursor& trigger, int index,
                                               const ReplicaRange& range,
                                               std::vector<Loss>& losses) {
  const std::string path = "spec.triggers[" + std::to_string(index) + "]";
  const json::Cursor metadata = trigger.Member("metadata");
  const std::string desired = TextOf(metadata.Member("desiredReplicas"));
  const auto replicas = WholeNumber(desired);
  const auto made =
      ScheduleOfCron({TextOf(metadata.Member("timezone")), TextOf(metadata.Member("start")),
                      TextOf(metadata.Member("end"))});
  if (!replicas || !made.ok()) {
    losses.push_back(
        {path, made.ok() ? "metadata.desiredReplicas \"" + desired + "\" is not a whole number"
                         : made.error().message});
    return std::nullopt;
  }
  api::Schedule schedule = made->schedule;
  schedule.name = "cron-" + std::to_string(index);
  schedule.min_replicas = std::min(std::max(*replicas, std::max(range.min, 1)), range.max);
  if (schedule.min_replicas != *replicas) {
    losses.push_back({path + ".metadata.desiredReplicas",
                      desired +
                          " is not between minReplicaCount and maxReplicaCount; the schedule "
                          "has " +
                          std::to_string(*schedule.min_replicas)});
  }
  if (!made->difference.empty()) {
    losses.push_back({path + ".metadata.end", made->difference});
  }
  ListLost(trigger, path, {"type", "metadata"},
           {{"name", "schedules are called by the number of their trigger"},
            {"metricType", "a schedule is no metric"},
            {"useCachedMetrics", "has no effect on cron"},
            {"authenticationRef", "has no effect on cron"}},
           losses);
  ListLost(metadata, path + ".metadata", {"timezone", "start", "end", "desiredReplicas"}, {},
           losses);
  return schedule;
}

}  // namespace ballast::cli
