#include "operator/engine/scale_to_zero.h"

#include <algorithm>

#include "operator/engine/effective.h"
#include "operator/engine/passes.h"
#include "operator/engine/timetable.h"

namespace ballast::engine {
namespace {

constexpr const char* kZeroByOverride =
    "an override with a maximum of 0 scaled the workload to zero";

enum class ZeroSetter { kMetrics, kSchedule, kOverride, kOther };

void Record(ZeroSetter setter, const Settings& settings, Conditions& conditions) {
  if (!settings.scale_to_zero) {
    conditions.Remove(api::kScaledToZero);
    return;
  }
  switch (setter) {
    case ZeroSetter::kMetrics:
      conditions.True(api::kScaledToZero, "ScaledToZero",
                      "the HPA controller scaled the workload to zero");
      break;
    case ZeroSetter::kSchedule:
      conditions.True(api::kScaledToZero, api::kZeroBySchedule,
                      "a schedule with a maximum of 0 scaled the workload to zero");
      break;
    case ZeroSetter::kOverride:
      conditions.True(api::kScaledToZero, api::kZeroBySchedule, kZeroByOverride);
      break;
    case ZeroSetter::kOther:
      conditions.False(api::kScaledToZero, "NotScaledToZero",
                       "the HPA controller did not scale the workload to zero");
  }
}

// Of a zero that no schedule and no override has set.
ZeroSetter SetterWithin(const Bounds& bounds, const api::AutoscalerSpec& spec) {
  return bounds.min == 0 && CanMeasureWithoutPods(spec) ? ZeroSetter::kMetrics : ZeroSetter::kOther;
}

bool HasZeroSchedule(const api::AutoscalerSpec& spec) {
  return std::ranges::any_of(spec.schedules.Unpack(), [](const api::Schedule& schedule) {
    return schedule.max_replicas == 0;
  });
}

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
  if (decision.current_replicas == 0 || decision.target_replicas > 0) {
    Record(ZeroSetter::kOther, settings, conditions);
  } else if (bounds.max == 0 && autoscaler.is_policy()) {
    const bool by_override = decision.rescale_reason.starts_with(kByOverride);
    Record(by_override ? ZeroSetter::kOverride : ZeroSetter::kSchedule, settings, conditions);
  } else {
    Record(SetterWithin(bounds, autoscaler.spec), settings, conditions);
  }
}

void ClaimZero(Snapshot& snapshot) {
  api::Autoscaler& autoscaler = snapshot.autoscaler;
  Conditions conditions(autoscaler.status.conditions, snapshot.now);
  const Bounds bounds = EffectiveBounds(snapshot);
  ZeroSetter setter = SetterWithin(bounds, autoscaler.spec);
  // The schedule may be over by now, and the override gone: with a minimum, one of them it was.
  if (autoscaler.is_policy() && HasZeroSchedule(autoscaler.spec)) {
    setter = ZeroSetter::kSchedule;
  } else if (autoscaler.is_policy() && (bounds.min > 0 || bounds.max == 0)) {
    setter = ZeroSetter::kOverride;
  }
  Record(setter, EffectiveSettings(snapshot), conditions);
}

}  // namespace ballast::engine
