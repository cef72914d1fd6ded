#include "api/autoscaling/schedule_contradictions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/recurrence_cover.h"
#include "api/autoscaling/schedule_validation.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {
namespace {

// A floor begins to rise before its window, by a ramp of a day at most and the time that pods take
// to start, which is no longer (LeadOf in operator/engine/timetable.h). Meanwhile a zone's clock
// may be set forward by a day.
constexpr std::int64_t kRiseMinutes = std::int64_t{3} * 24 * 60;

class Contradictions {
 public:
  Contradictions(std::vector<Schedule> schedules, const ZoneCheck& zones)
      : schedules_(std::move(schedules)), zones_(zones) {
    FieldErrors ignored;
    for (const Schedule& schedule : schedules_) {
      times_.push_back(ReadRecurrence(schedule, "", ignored));
    }
  }

  FieldErrors Find() {
    for (std::size_t i = 0; i < schedules_.size(); ++i) {
      for (std::size_t j = 0; j < schedules_.size(); ++j) {
        if (i != j && times_[i] && times_[j]) {
          FindFloorAbove(i, j);
          FindHold(i, j);
        }
      }
    }
    return std::move(errors_);
  }

 private:
  void FindFloorAbove(std::size_t i, std::size_t j) {
    const auto& most = schedules_[i].max_replicas;
    const auto& least = schedules_[j].min_replicas;
    if (most && least && *most < *least && LiesWithin(i, j, 0)) {
      errors_.Add(SchedulePath(i) + ".maxReplicas",
                  "never counts: " + std::to_string(*most) + " is less than the minReplicas " +
                      std::to_string(*least) + " of " + NameOf(j) +
                      ", which has all of its times, and a floor beats a ceiling");
    }
  }

  void FindHold(std::size_t i, std::size_t j) {
    if (schedules_[j].hold != kHoldAll) {
      return;  // in the other direction a bound keeps the count where it is
    }
    const std::string why = "never counts: the hold All of " + NameOf(j) +
                            ", which has all of its times, comes after all bounds";
    if (schedules_[i].min_replicas && LiesWithin(i, j, kRiseMinutes)) {
      errors_.Add(SchedulePath(i) + ".minReplicas", why);
    }
    if (schedules_[i].max_replicas && LiesWithin(i, j, 0)) {
      errors_.Add(SchedulePath(i) + ".maxReplicas", why);
    }
  }

  bool LiesWithin(std::size_t i, std::size_t j, std::int64_t minutes_before) const {
    return zones_.same(schedules_[i].time_zone, schedules_[j].time_zone)
               ? LieWithin(*times_[i], *times_[j], minutes_before)
               : IsAlwaysOpen(*times_[j]);
  }

  std::string NameOf(std::size_t i) const {
    return SchedulePath(i) + " (" + Quote(schedules_[i].name) + ")";
  }

  const std::vector<Schedule> schedules_;
  const ZoneCheck& zones_;
  std::vector<std::optional<Recurrence>> times_;  // absent: they are wrong
  FieldErrors errors_;
};

}  // namespace

FieldErrors FindContradictions(const AutoscalerSpec& spec, const ZoneCheck& zones) {
  std::vector<Schedule> schedules = spec.schedules.Unpack();
  return schedules.size() > kMostSchedules ? FieldErrors()
                                           : Contradictions(std::move(schedules), zones).Find();
}

}  // namespace ballast::api
