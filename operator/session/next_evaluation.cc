#include "operator/session/next_evaluation.h"

#include <algorithm>
#include <chrono>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/pause_annotation.h"
#include "operator/engine/conditions.h"

namespace ballast::session {
namespace {

// Whether the policy's status is about another spec or another pause.
bool WasEdited(const api::Autoscaler& autoscaler, Time now) {
  const api::Condition* held = engine::Find(autoscaler.status.conditions, api::kHeld);
  const bool was_paused = held != nullptr && held->status == "True" && held->reason == api::kPaused;
  return autoscaler.status.observed_generation != autoscaler.metadata.generation ||
         was_paused != api::PauseOf(autoscaler, now).has_value();
}

// At its point of the period, as if there had been no restart.
Duration DelayInPeriod(const api::Autoscaler& autoscaler, const LeftBehind& left,
                       const SessionOptions& options, const NextPoint& next_point,
                       const process::Instant& now) {
  const Duration period = options.PeriodOf(autoscaler);
  if (const auto last = left.last_evaluation; last && now.wall - *last < period) {
    const Duration rest = std::min(*last + period - now.wall, period);
    // Only an evaluation finds out when a floor has to rise for a window to come.
    if (autoscaler.spec.schedules.empty() || rest <= options.default_period) {
      return rest;
    }
  }
  const auto wait = next_point(std::min(period, options.default_period)) - now.steady;
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(wait).count()};
}

}  // namespace

void ReleaseMoment::Concluded(const engine::Snapshot& snapshot,
                              const engine::Conclusion& conclusion, std::int32_t replicas,
                              Time now) {
  if (const auto& release = conclusion.release) {
    moment_ = {release->at,
               release->replicas > replicas ? Prospect::kScaleOut : Prospect::kScaleIn};
  }
  const auto look_at = [&](Time at) {
    if (!moment_ || moment_->at <= now || at < moment_->at) {
      moment_ = DueMoment{at};
    }
  };
  const auto& schedules = snapshot.schedules;
  if (schedules && schedules->next) {  // the status tells it, even if the count stays
    look_at(schedules->next->at);
  }
  const api::Condition* held = engine::Find(conclusion.status.conditions, api::kHeld);
  if (held != nullptr && held->reason == engine::kOldView) {
    look_at(now + kProblemPeriod);  // by then the pods have been listed again
  }
}

std::optional<DueMoment> ReleaseMoment::After(std::optional<Time> last_evaluation) {
  if (moment_ && last_evaluation >= moment_->at) {
    moment_.reset();
  }
  return moment_;
}

Duration FirstDelay(const api::Autoscaler& autoscaler, const LeftBehind& left,
                    const SessionOptions& options, const NextPoint& next_point,
                    const process::Instant& now) {
  if (!options.ModeOf(autoscaler).evaluates && !autoscaler.is_policy()) {
    return {};  // it costs no request
  }
  if (autoscaler.is_policy() ? WasEdited(autoscaler, now.wall) : !left.last_evaluation) {
    return {};  // never evaluated as it is now
  }
  if (left.unsettled) {
    return {};  // find out its outcome first
  }
  const Duration delay = DelayInPeriod(autoscaler, left, options, next_point, now);
  const auto& schedules = autoscaler.status.schedules;
  return schedules && schedules->next
             ? std::clamp(schedules->next->time - now.wall, Duration(), delay)
             : delay;
}

}  // namespace ballast::session
