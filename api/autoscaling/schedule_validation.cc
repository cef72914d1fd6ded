#include "api/autoscaling/schedule_validation.h"

#include <algorithm>
#include <bitset>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/kubernetes/label_syntax.h"

namespace ballast::api {
namespace {

constexpr std::size_t kMostSchedules = 64;
constexpr std::int32_t kMostRampMinutes = 1440;
constexpr int kDayMinutes = 24 * 60;
constexpr int kWeekMinutes = 7 * kDayMinutes;

using WeekMinutes = std::bitset<kWeekMinutes>;

struct ReadSchedule {
  const Schedule* schedule;
  std::string path;
  std::optional<Recurrence> recurrence;
  WeekMinutes week;  // none if its times are not those of a week
};

std::string PathOf(std::size_t index) { return "spec.schedules[" + std::to_string(index) + "]"; }

// The minutes of a week that windows of these times have by the wall clock. None if they are not
// the same each week.
WeekMinutes WeekOf(const std::optional<Recurrence>& recurrence) {
  if (!recurrence || !std::holds_alternative<DailyTimes>(recurrence->times)) {
    return {};
  }
  const auto& times = std::get<DailyTimes>(recurrence->times);
  const int length = (times.to > times.from ? 0 : kDayMinutes) + times.to - times.from;
  WeekMinutes minutes;
  for (int day = 0; day < 7; ++day) {
    for (int i = 0; (times.days >> day & 1) != 0 && i < length; ++i) {
      minutes.set(static_cast<std::size_t>((day * kDayMinutes + times.from + i) % kWeekMinutes));
    }
  }
  return minutes;
}

// Whether for certain each window of `inner` lies within windows of `outer`.
bool LiesWithin(const ReadSchedule& inner, const ReadSchedule& outer) {
  if (!inner.recurrence || !outer.recurrence ||
      inner.schedule->time_zone != outer.schedule->time_zone || !outer.recurrence->only.empty() ||
      !outer.recurrence->except.empty()) {
    return false;
  }
  return inner.week.any() && (inner.week & ~outer.week).none();
}

class SchedulesCheck {
 public:
  SchedulesCheck(const AutoscalerSpec& spec, const ZoneCheck& zones)
      : spec_(spec), schedules_(spec.schedules.Unpack()), zones_(zones) {}

  FieldErrors Run() {
    if (schedules_.size() > kMostSchedules) {
      errors_.Add("spec.schedules", "must have at most " + std::to_string(kMostSchedules) +
                                        " entries, has " + std::to_string(schedules_.size()));
      return std::move(errors_);
    }
    for (std::size_t i = 0; i < schedules_.size(); ++i) {
      CheckOne(i);
    }
    for (const ReadSchedule& ceiling : read_) {
      for (const ReadSchedule& floor : read_) {
        CheckPair(ceiling, floor);
      }
    }
    return std::move(errors_);
  }

 private:
  void CheckOne(std::size_t index) {
    const Schedule& schedule = schedules_[index];
    const std::string path = PathOf(index);
    CheckName(schedule, index);
    if (schedule.time_zone.empty()) {
      errors_.Add(path + ".timeZone", "must be set to a zone like Europe/Berlin, or to UTC");
    } else if (const std::string wrong = zones_ ? zones_(schedule.time_zone) : ""; !wrong.empty()) {
      errors_.Add(path + ".timeZone", wrong);
    }
    auto recurrence = ReadRecurrence(schedule, path, errors_);
    const WeekMinutes week = WeekOf(recurrence);
    read_.push_back({&schedule, path, std::move(recurrence), week});
    CheckBounds(schedule, path);
    CheckHold(schedule, path);
  }

  void CheckName(const Schedule& schedule, std::size_t index) {
    const std::string path = PathOf(index);
    if (schedule.name.empty()) {
      errors_.Add(path + ".name", "must be set");
      return;
    }
    for (const std::string& complaint : CheckDns1123Label(schedule.name)) {
      errors_.Add(path + ".name", complaint);
    }
    const auto end = schedules_.begin() + static_cast<std::ptrdiff_t>(index);
    const auto same = std::find_if(schedules_.begin(), end, [&](const Schedule& earlier) {
      return earlier.name == schedule.name;
    });
    if (same != end) {
      const auto first = static_cast<std::size_t>(same - schedules_.begin());
      errors_.Add(path + ".name",
                  "must differ from the name of " + PathOf(first) + ": " + Quote(schedule.name));
    }
  }

  // A bound must narrow those of the spec; that of 0 replicas switches the target off.
  void CheckBounds(const Schedule& schedule, const std::string& path) {
    const std::int32_t least = spec_.min_replicas.value_or(1);
    const std::string range = "between " + std::to_string(least) + " (minReplicas) and " +
                              std::to_string(spec_.max_replicas) + " (maxReplicas)";
    const auto check = [&](const std::optional<std::int32_t>& bound, const char* field,
                           const char* or_else) {
      const bool off = bound == 0 && *or_else != '\0';
      if (bound && !off && least <= spec_.max_replicas &&
          (*bound < least || *bound > spec_.max_replicas)) {
        errors_.Add(path + field, "must lie " + range + or_else + ", is " + std::to_string(*bound) +
                                      "; a schedule narrows the bounds of the spec");
      }
    };
    check(schedule.min_replicas, ".minReplicas", "");
    check(schedule.max_replicas, ".maxReplicas", ", or be 0");
    if (schedule.min_replicas && schedule.max_replicas &&
        *schedule.min_replicas > *schedule.max_replicas) {
      errors_.Add(path + ".maxReplicas",
                  "must not be less than minReplicas: " + std::to_string(*schedule.max_replicas) +
                      " is less than " + std::to_string(*schedule.min_replicas));
    }
    if (!schedule.min_replicas && !schedule.max_replicas && schedule.hold.empty()) {
      errors_.Add(path, "must have minReplicas, maxReplicas or hold, or else it changes nothing");
    }
    if (schedule.ramp_minutes) {
      if (*schedule.ramp_minutes < 1 || *schedule.ramp_minutes > kMostRampMinutes) {
        errors_.Add(path + ".rampMinutes", "must be between 1 and " +
                                               std::to_string(kMostRampMinutes) + ", is " +
                                               std::to_string(*schedule.ramp_minutes));
      } else if (!schedule.min_replicas && !schedule.max_replicas) {
        errors_.Add(path + ".rampMinutes", "must not be set without minReplicas or maxReplicas");
      }
    }
  }

  void CheckHold(const Schedule& schedule, const std::string& path) {
    const std::string& hold = schedule.hold;
    const bool all = hold == kHoldAll;
    const bool up = all || hold == kHoldScaleUp;
    const bool down = all || hold == kHoldScaleDown;
    if (!hold.empty() && !up && !down) {
      errors_.Add(path + ".hold", "must be All, ScaleUp or ScaleDown, is " + Quote(hold));
    }
    if (up && schedule.min_replicas) {
      errors_.Add(path + ".hold", "is " + hold +
                                      ", which keeps minReplicas from being reached; "
                                      "keep one of the two");
    }
    if (down && schedule.max_replicas) {
      errors_.Add(path + ".hold", "is " + hold +
                                      ", which keeps maxReplicas from being reached; "
                                      "keep one of the two");
    }
  }

  // A floor beats a ceiling: one that lies within windows of a higher floor never counts.
  void CheckPair(const ReadSchedule& ceiling, const ReadSchedule& floor) {
    const auto& most = ceiling.schedule->max_replicas;
    const auto& least = floor.schedule->min_replicas;
    if (&ceiling != &floor && most && least && *most < *least && LiesWithin(ceiling, floor)) {
      errors_.Add(ceiling.path + ".maxReplicas", "never counts: " + std::to_string(*most) +
                                                     " is less than the minReplicas " +
                                                     std::to_string(*least) + " of " + floor.path +
                                                     " (" + Quote(floor.schedule->name) +
                                                     "), which has all of its times, and a floor "
                                                     "beats a ceiling");
    }
  }

  const AutoscalerSpec& spec_;
  const std::vector<Schedule> schedules_;
  const ZoneCheck& zones_;
  std::vector<ReadSchedule> read_;
  FieldErrors errors_;
};

}  // namespace

FieldErrors CheckSchedules(const AutoscalerSpec& spec, const ZoneCheck& zones) {
  return SchedulesCheck(spec, zones).Run();
}

}  // namespace ballast::api
