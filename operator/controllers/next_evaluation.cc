#include "operator/controllers/next_evaluation.h"

#include <algorithm>
#include <chrono>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/pause_annotation.h"
#include "operator/engine/conditions.h"

namespace ballast::controllers {
namespace {

// Whether the policy's status is about another spec or another pause.
bool WasEdited(const api::Autoscaler& autoscaler, Time now) {
  const api::Condition* held = engine::Find(autoscaler.status.conditions, api::kHeld);
  const bool was_paused = held != nullptr && held->status == "True" && held->reason == api::kPaused;
  return autoscaler.status.observed_generation != autoscaler.metadata.generation ||
         was_paused != api::PauseOf(autoscaler, now).has_value();
}

}  // namespace

Duration FirstDelay(const api::Autoscaler& autoscaler, const LeftBehind& left,
                    const SessionOptions& options, EvaluationSlots& slots,
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
  const Duration period = options.PeriodOf(autoscaler);
  if (const auto last = left.last_evaluation; last && now.wall - *last < period) {
    return std::min(*last + period - now.wall, period);
  }
  const auto wait =
      slots.NextRun(autoscaler.reference(), std::min(period, options.default_period), now.steady) -
      now.steady;
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(wait).count()};
}

}  // namespace ballast::controllers
