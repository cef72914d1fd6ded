// Tells what spec.schedules and overrides make of the bounds. Policies: lets schedules switch the
// target off and on.
#include <algorithm>
#include <string>

#include "operator/engine/passes.h"
#include "operator/engine/scale_to_zero.h"
#include "operator/engine/timetable.h"

namespace ballast::engine {
namespace {

void StayAtZero(DecideState& evaluation) {
  const std::string why = evaluation.BlameSchedule(true);
  evaluation.conditions.False(api::kScalingActive, api::kZeroBySchedule, why);
  evaluation.decision.status.desired_replicas = 0;
  evaluation.trace.Add([&] {
    return Step{.rule = Rule::kZero, .in = 0, .out = 0, .binding = true, .text = why + "."};
  });
  evaluation.counted = true;
}

// The schedule or override that was the last to hold the target at zero, if it is still known.
std::string DescribeEnd(const Snapshot& snapshot) {
  const ScheduleWindow* last = nullptr;
  const auto look = [&](const ScheduleWindow& window) {
    const bool at_zero = window.max_replicas == 0 || window.pin == 0;
    const bool over = at_zero && window.end && *window.end <= snapshot.now;
    last = over && (last == nullptr || *last->end < *window.end) ? &window : last;
  };
  if (snapshot.schedules) {
    std::ranges::for_each(snapshot.schedules->windows, look);
  }
  std::ranges::for_each(snapshot.overrides, look);
  const std::string by = ZeroBy(snapshot.autoscaler.status);
  return last == nullptr ? "the " + by + " with a maximum of 0 is over"
                         : NameOf(*last) + " with a maximum of 0 is over";
}

}  // namespace

void TellSchedules(DecideState& evaluation) {
  if (!evaluation.trace.on()) {
    return;
  }
  std::string text = evaluation.BlameSchedule(false);
  const std::string ceiling = evaluation.BlameSchedule(true);
  if (ceiling.starts_with(text)) {  // also of a pin, which is both, and of a floor that beats it
    text = ceiling;
  } else if (!ceiling.empty()) {
    text += "; " + ceiling;
  }
  if (!text.empty()) {
    evaluation.trace.Add([&] { return Step{.rule = Rule::kSchedule, .text = text + "."}; });
  }
}

// A target that a schedule holds at zero stays there, whatever the metrics say. One that the policy
// scaled to zero wakes without a metric when a schedule has a floor, or when the schedule that
// scaled it there is over; one that somebody else did stays as it is ("zero").
void FollowScheduleAtZero(DecideState& evaluation) {
  const api::AutoscalerStatus& status = evaluation.snapshot.autoscaler.status;
  if (evaluation.current() > 0 && !ZeroBy(status).empty()) {
    // Else a later zero, which somebody else sets, would count as the schedule's.
    evaluation.conditions.False(api::kScaledToZero, "NotScaledToZero",
                                "something other than this policy has woken the target");
  }
  if (evaluation.current() != 0 || !IsOwnZero(evaluation.settings, status)) {
    return;
  }
  const Bounds& bounds = evaluation.decision.bounds;
  if (bounds.max == 0) {
    StayAtZero(evaluation);
  } else if (bounds.min > 0 && (evaluation.scheduled.floor != nullptr || !ZeroBy(status).empty())) {
    const std::string floor = evaluation.BlameSchedule(false);
    evaluation.MoveTo(bounds.min, floor.empty() ? DescribeEnd(evaluation.snapshot) : floor);
    evaluation.conditions.True(api::kScalingActive, "WokenBySchedule",
                               evaluation.decision.rescale_reason);
  }
}

}  // namespace ballast::engine
