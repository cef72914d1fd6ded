#include "operator/engine/scale_to_zero.h"

#include <algorithm>

#include "operator/engine/passes.h"
#include "operator/engine/timetable.h"

namespace ballast::engine {
namespace {

constexpr const char* kZeroByOverride =
    "an override with a maximum of 0 scaled the workload to zero";

}  // namespace

bool IsOwnZero(const Settings& settings, const api::AutoscalerStatus& status) {
  return settings.scale_to_zero && IsTrue(status.conditions, api::kScaledToZero);
}

std::string ZeroBy(const api::AutoscalerStatus& status) {
  const api::Condition* zero = Find(status.conditions, api::kScaledToZero);
  if (zero == nullptr || zero->status != "True" || zero->reason != api::kZeroBySchedule) {
    return "";
  }
  return zero->message == kZeroByOverride ? "override" : "schedule";
}

bool CanMeasureWithoutPods(const api::AutoscalerSpec& spec) {
  return std::any_of(spec.metrics.begin(), spec.metrics.end(), [](const api::MetricSpec& metric) {
    return metric.type == "Object" || metric.type == "External" || metric.type == "Prometheus";
  });
}

bool MayWake(const Settings& settings, const api::Autoscaler& autoscaler, std::int32_t min) {
  return IsOwnZero(settings, autoscaler.status) &&
         (min != 0 || CanMeasureWithoutPods(autoscaler.spec));
}

void LeaveZeroAlone(DecideState& evaluation) {
  if (evaluation.current() != 0 || MayWake(evaluation.settings, evaluation.snapshot.autoscaler,
                                           evaluation.decision.bounds.min)) {
    return;
  }
  evaluation.conditions.False(api::kScalingActive, "ScalingDisabled",
                              "scaling is disabled since the replica count of the target is zero");
  if (!evaluation.settings.scale_to_zero) {
    evaluation.conditions.Remove(api::kScaledToZero);
  }
  if (evaluation.policy) {
    evaluation.conditions.True(api::kHeld, "TargetAtZero",
                               "the target has no replicas, and this policy did not scale it to "
                               "zero; scale it up to resume autoscaling");
    evaluation.held = true;
  }
  evaluation.decision.status.desired_replicas = 0;
  evaluation.trace.Add([] {
    return Step{.rule = Rule::kZero,
                .in = 0,
                .out = 0,
                .binding = true,
                .text =
                    "The target was scaled to zero by something other than this autoscaler, so "
                    "autoscaling is off until the target is scaled up."};
  });
  evaluation.counted = true;
}

void RecordZero(const Settings& settings, const api::Autoscaler& autoscaler,
                const Decision& decision, Conditions& conditions) {
  const Bounds& bounds = decision.bounds;
  const bool to_zero = decision.current_replicas > 0 && decision.target_replicas == 0;
  if (!settings.scale_to_zero) {
    conditions.Remove(api::kScaledToZero);
  } else if (to_zero && bounds.max == 0 && autoscaler.is_policy()) {
    conditions.True(api::kScaledToZero, api::kZeroBySchedule,
                    decision.rescale_reason.starts_with(kByOverride)
                        ? kZeroByOverride
                        : "a schedule with a maximum of 0 scaled the workload to zero");
  } else if (to_zero && bounds.min == 0 && CanMeasureWithoutPods(autoscaler.spec)) {
    conditions.True(api::kScaledToZero, "ScaledToZero",
                    "the HPA controller scaled the workload to zero");
  } else {
    conditions.False(api::kScaledToZero, "NotScaledToZero",
                     "the HPA controller did not scale the workload to zero");
  }
}

}  // namespace ballast::engine
