// Moves a count outside the bounds to the bound at once, without metrics, stabilization or rates.
#include <string>

#include "api/autoscaling/condition_types.h"
#include "operator/engine/conditions.h"
#include "operator/engine/passes.h"
#include "operator/engine/timetable.h"
#include "operator/engine/words.h"

namespace ballast::engine {
namespace {

constexpr const char* kMoreThan = "more than the maximum";
constexpr const char* kLessThan = "less than the minimum";
// How the message of a count that the bounds alone move begins.
constexpr const char* kOutside = "the replica count was ";

Step Describe(std::int32_t current, std::int32_t bound, const std::string& schedule) {
  const char* which = bound < current ? kMoreThan : kLessThan;
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

// As "limits" tells of a count that the metrics ask for; and until they ask again, the count is
// limited while it stays at that bound. Upstream leaves the condition of the evaluation before,
// which may tell of another bound, and so does an HPA that no override moves.
void ReportBounds(DecideState& evaluation) {
  const Decision& decision = evaluation.decision;
  const bool moves = decision.target_replicas != decision.current_replicas;
  const api::Condition* before = Find(decision.status.conditions, api::kScalingLimited);
  const bool told = before != nullptr && before->message.starts_with(kOutside);
  // Of one that is off, ScalingActive says why.
  if (!evaluation.counted || decision.target_replicas == 0 || (!moves && !told)) {
    return;
  }
  const bool above = moves ? decision.target_replicas < decision.current_replicas
                           : before->reason == api::kTooManyReplicas;
  const std::string schedule = evaluation.BlameSchedule(above);
  const Bounds& bounds = decision.bounds;
  if ((evaluation.policy || !schedule.empty()) &&
      decision.target_replicas == (above ? bounds.max : bounds.min)) {
    evaluation.conditions.True(api::kScalingLimited,
                               above ? api::kTooManyReplicas : api::kTooFewReplicas,
                               kOutside + std::string(above ? kMoreThan : kLessThan) +
                                   (schedule.empty() ? "" : ": ") + schedule);
  } else if (!moves && bounds.Contain(decision.target_replicas)) {
    evaluation.conditions.False(api::kScalingLimited, api::kDesiredWithinRange,
                                "the replica count is within its bounds");
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
