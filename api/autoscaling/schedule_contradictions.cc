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
      if (times_[i] && schedules_[i].min_replicas) {
        AddFirst(i, ".minReplicas", &Contradictions::WhyNoFloor);
      }
      if (times_[i] && schedules_[i].max_replicas) {
        AddFirst(i, ".maxReplicas", &Contradictions::WhyNoCeiling);
      }
    }
    return std::move(errors_);
  }

 private:
  // Why a bound of the one never counts because of the other; empty: it may.
  using Why = std::string (Contradictions::*)(std::size_t one, std::size_t other) const;

  // One is enough to say.
  void AddFirst(std::size_t i, const char* field, Why why) {
    for (std::size_t j = 0; j < schedules_.size(); ++j) {
      if (const std::string text = i != j && times_[j] ? (this->*why)(i, j) : ""; !text.empty()) {
        errors_.Add(SchedulePath(i) + field, text);
        return;
      }
    }
  }

  std::string WhyNoFloor(std::size_t i, std::size_t j) const {
    return IsHeld(i, j, kRiseMinutes) ? ByHold(j) : "";
  }

  std::string WhyNoCeiling(std::size_t i, std::size_t j) const {
    const std::int32_t most = *schedules_[i].max_replicas;
    const auto& least = schedules_[j].min_replicas;
    if (least && most < *least && LiesWithin(i, j, 0)) {
      return "never counts: " + std::to_string(most) + " is less than the minReplicas " +
             std::to_string(*least) + " of " + NameOf(j) +
             ", which has all of its times, and a floor beats a ceiling";
    }
    return IsHeld(i, j, 0) ? ByHold(j) : "";
  }

  // In the other direction a hold lets a bound keep the count where it is.
  bool IsHeld(std::size_t i, std::size_t j, std::int64_t minutes_before) const {
    return schedules_[j].hold == kHoldAll && LiesWithin(i, j, minutes_before);
  }

  std::string ByHold(std::size_t j) const {
    return "never counts: the hold All of " + NameOf(j) +
           ", which has all of its times, comes after all bounds";
  }

  bool LiesWithin(std::size_t i, std::size_t j, std::int64_t minutes_before) const {
    return zones_.same(schedules_[i].time_zone, schedules_[j].time_zone)
               ? LieWithin(*times_[i], *times_[j], minutes_before)
               : IsAlwaysOpen(*times_[j]);
  }

  // Without its index: an edit that moves it leaves the text as it is, by which the webhook knows a
  // contradiction that was there before.
  std::string NameOf(std::size_t i) const { return "the schedule " + Quote(schedules_[i].name); }

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
