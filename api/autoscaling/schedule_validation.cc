#include "api/autoscaling/schedule_validation.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/kubernetes/label_syntax.h"

namespace ballast::api {
namespace {

constexpr std::int32_t kMostRampMinutes = 1440;
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
    return std::move(errors_);
  }

 private:
  void CheckOne(std::size_t index) {
    const Schedule& schedule = schedules_[index];
    const std::string path = SchedulePath(index);
    CheckName(schedule, index);
    if (schedule.time_zone.empty()) {
      errors_.Add(path + ".timeZone", "must be set to a zone like Europe/Berlin, or to UTC");
    } else if (const std::string wrong = zones_.wrong(schedule.time_zone); !wrong.empty()) {
      errors_.Add(path + ".timeZone", wrong);
    }
    (void)ReadRecurrence(schedule, path, errors_);
    CheckBounds(schedule, path);
    CheckHold(schedule, path);
  }

  void CheckName(const Schedule& schedule, std::size_t index) {
    const std::string path = SchedulePath(index);
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
      errors_.Add(path + ".name", "must differ from the name of " + SchedulePath(first) + ": " +
                                      Quote(schedule.name));
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

  const AutoscalerSpec& spec_;
  const std::vector<Schedule> schedules_;
  const ZoneCheck& zones_;
  FieldErrors errors_;
};

}  // namespace

FieldErrors CheckSchedules(const AutoscalerSpec& spec, const ZoneCheck& zones) {
  return SchedulesCheck(spec, zones).Run();
}

}  // namespace ballast::api
