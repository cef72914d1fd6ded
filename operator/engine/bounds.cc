// Moves a count outside the bounds to the bound at once, without metrics, stabilization or rates.
#include "operator/engine/passes.h"
#include "operator/engine/timetable.h"
#include "operator/engine/words.h"

namespace ballast::engine {
namespace {

Step Describe(std::int32_t current, std::int32_t bound, const std::string& schedule) {
  const char* which = bound < current ? "more than the maximum" : "less than the minimum";
  return {.rule = Rule::kBounds,
          .in = current,
          .out = bound,
          .binding = true,
          .text = Replicas(current) + " is " + which +
                  ": scaled to the bound at once, regardless of metrics and history" +
                  (schedule.empty() ? "." : ", since " + schedule + ".")};
}

}  // namespace

std::string DecideState::BlameSchedule(bool above) const {
  const Bounds& bounds = scheduled.bounds;
  const ScheduleWindow* floor = scheduled.floor;
  if ((above ? scheduled.ceiling : floor) == nullptr) {
    return "";
  }
  if (above && (floor == nullptr || bounds.min < bounds.max)) {
    return DescribeCeiling(*scheduled.ceiling, bounds.max);
  }
  return DescribeFloor(*floor, bounds.min, snapshot.now) +
         (above && !floor->pin
              ? ", to which the maximum of " + NameOf(*scheduled.ceiling) + " gives way"
              : "");
}

void DecideState::MoveTo(std::int32_t bound, const std::string& schedule) {
  decision.rescale = true;
  decision.target_replicas = bound;
  decision.rescale_reason = !schedule.empty()   ? schedule
                            : bound < current() ? kAboveMaximum
                                                : kBelowMinimum;
  trace.Add([&] { return Describe(current(), bound, schedule); });
  counted = true;
}

void MoveIntoBounds(DecideState& evaluation) {
  const std::int32_t current = evaluation.current();
  const std::int32_t bound = evaluation.decision.bounds.Nearest(current);
  if (current != 0 && bound != current) {
    evaluation.MoveTo(bound, evaluation.BlameSchedule(bound < current));
  }
}

// From zero, raises the count to the minimum: LimitByBehavior does not do that on the way up.
void WakeUp(DecideState& evaluation) {
  std::int32_t& desired = evaluation.movement.desired;
  if (evaluation.current() == 0 && desired < evaluation.decision.bounds.min) {
    desired = evaluation.decision.bounds.min;
    evaluation.trace.Add(
        [&] { return Describe(evaluation.current(), desired, evaluation.BlameSchedule(false)); });
  }
}

}  // namespace ballast::engine
