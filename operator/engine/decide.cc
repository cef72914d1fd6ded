#include <algorithm>
#include <string>

#include "operator/engine/bounds.h"
#include "operator/engine/combination.h"
#include "operator/engine/conditions.h"
#include "operator/engine/describe.h"
#include "operator/engine/engine.h"
#include "operator/engine/metric/tolerance.h"
#include "operator/engine/rate_limit.h"
#include "operator/engine/rules.h"
#include "operator/engine/scale_to_zero.h"
#include "operator/engine/selector_check.h"
#include "operator/engine/stabilization.h"
#include "operator/engine/trace.h"

namespace ballast::engine {
namespace {

constexpr const char* kAboveMax = "Current number of replicas above Spec.MaxReplicas";
constexpr const char* kBelowMin = "Current number of replicas below Spec.MinReplicas";

// One evaluation on its way: the steps of upstream's reconcile, in its order.
class Evaluation {
 public:
  Evaluation(const Snapshot& snapshot, const Rules& rules, Tracing tracing)
      : snapshot_(snapshot),
        autoscaler_(snapshot.autoscaler),
        rules_(rules),
        settings_(rules.SettingsFor(snapshot)),
        bounds_(EffectiveBounds(snapshot)),
        trace_(tracing),
        conditions_(decision_.status.conditions, snapshot.now) {}

  Decision Run() {
    decision_.bounds = bounds_;
    decision_.status = autoscaler_.status;
    decision_.memory = snapshot_.memory.value_or(Memory());
    if (!rules_.Paused(snapshot_)) {
      Evaluate();
    }
    rules_.Finish(snapshot_, decision_, trace_);
    trace_.Add([&] { return DescribeDecision(decision_); });
    decision_.trace = trace_.Take();
    return std::move(decision_);
  }

 private:
  void Evaluate();
  const api::Scale* FindScale();
  void StayAtZero();
  void MoveIntoBounds(std::int32_t bound, const char* reason);
  void FollowMetrics(const api::Scale& scale);
  Combination Combine(const PodList& pods, const api::Scale& scale);
  void MoveTo(const Combination& combination);
  std::int32_t Stabilize(std::int32_t raw);
  Limited Limit(std::int32_t stabilized);
  void Refuse(const SelectorProblem& problem);
  void GiveUp(const std::string& error);
  void Note(const std::string& reason, const std::string& message);

  std::int32_t current() const { return decision_.current_replicas; }

  const Snapshot& snapshot_;
  const api::Autoscaler& autoscaler_;
  const Rules& rules_;
  const Settings settings_;
  const Bounds bounds_;
  Decision decision_;
  Trace trace_;
  Conditions conditions_;
};

void Evaluation::Evaluate() {
  const api::Scale* scale = FindScale();
  if (scale == nullptr) {
    return;
  }
  decision_.current_replicas = scale->spec_replicas;
  decision_.target_replicas = current();
  trace_.Add([&] { return DescribeScale(*scale, bounds_); });
  conditions_.True(api::kAbleToScale, "SucceededGetScale",
                   "the HPA controller was able to get the target's current scale");
  decision_.memory = rules_.Recall(snapshot_, current());
  if (decision_.memory.recommendations.empty()) {
    decision_.memory.recommendations.push_back({snapshot_.now, current()});
  }
  decision_.status.observed_generation.reset();
  decision_.status.current_replicas = current();
  decision_.status.current_metrics.clear();

  if (current() == 0 && !MayWake(settings_, autoscaler_, bounds_.min)) {
    StayAtZero();
  } else if (current() != 0 && current() > bounds_.max) {
    MoveIntoBounds(bounds_.max, kAboveMax);
  } else if (current() != 0 && current() < bounds_.min) {
    MoveIntoBounds(bounds_.min, kBelowMin);
  } else {
    FollowMetrics(*scale);
  }
}

// The scale of the target; null, and everything said, when it could not be had.
const api::Scale* Evaluation::FindScale() {
  std::string error;
  const std::string& api_version = autoscaler_.spec.scale_target_ref.api_version;
  if (std::count(api_version.begin(), api_version.end(), '/') > 1) {
    error = "unexpected GroupVersion string: " + api_version;
  } else if (const auto* failure = std::get_if<Failure>(&snapshot_.scale)) {
    error = failure->message;
  } else {
    return &std::get<api::Scale>(snapshot_.scale);
  }
  decision_.events.push_back({"Warning", "FailedGetScale", error});
  Note("FailedGetScale",
       "the HPA controller was unable to get the target's current scale: " + error);
  conditions_.False(api::kAbleToScale, "FailedGetScale", decision_.problem->message);
  return nullptr;
}

void Evaluation::StayAtZero() {
  conditions_.False(api::kScalingActive, "ScalingDisabled",
                    "scaling is disabled since the replica count of the target is zero");
  if (!settings_.scale_to_zero) {
    conditions_.Remove(api::kScaledToZero);
  }
  decision_.status.desired_replicas = 0;
  trace_.Add([] { return DescribeSwitchedOff(); });
}

// A count outside the bounds is put right at once: no metric, no stabilization, no rate.
void Evaluation::MoveIntoBounds(std::int32_t bound, const char* reason) {
  decision_.rescale = true;
  decision_.target_replicas = bound;
  decision_.rescale_reason = reason;
  trace_.Add([&] { return DescribeBound(current(), bound); });
}

void Evaluation::FollowMetrics(const api::Scale& scale) {
  const auto selection = CheckPodSelection(snapshot_, scale);
  if (const auto* problem = std::get_if<SelectorProblem>(&selection)) {
    Refuse(*problem);
    return;
  }
  Combination combination = Combine(*std::get<const PodList*>(selection), scale);
  if (combination.failure) {
    Note(combination.failure->reason, combination.failure->cause);
  }
  decision_.status.current_metrics = std::move(combination.statuses);
  decision_.proposals = std::move(combination.proposals);
  decision_.events.insert(decision_.events.end(), combination.events.begin(),
                          combination.events.end());
  if (!combination.replicas) {
    conditions_.False(
        api::kScalingActive, combination.failure->reason,
        "the HPA was unable to compute the replica count: " + combination.failure->cause);
    GiveUp(combination.error);
    return;
  }
  conditions_.True(
      api::kScalingActive, "ValidMetricFound",
      "the HPA was able to successfully calculate a replica count from " + combination.metric);
  MoveTo(combination);
}

Combination Evaluation::Combine(const PodList& pods, const api::Scale& scale) {
  const Context context{snapshot_,
                        rules_,
                        settings_,
                        decision_.memory,
                        pods,
                        current(),
                        scale.status_replicas,
                        TolerancesFor(settings_, autoscaler_.spec)};
  return CombineMetrics(context, trace_);
}

// From what the metrics ask for to what is to be written.
void Evaluation::MoveTo(const Combination& combination) {
  Movement movement;
  movement.current = current();
  movement.raw = std::max(*combination.replicas, 0);
  decision_.recommended = movement.raw;
  movement.metric = combination.metric;
  movement.stabilized = Stabilize(movement.raw);
  movement.limited = Limit(movement.stabilized);
  std::int32_t desired = movement.limited.replicas;
  std::string reason = rules_.RescaleReason(movement);
  // The way up with a behavior does not look at the minimum.
  if (current() == 0 && desired < bounds_.min) {
    desired = bounds_.min;
    reason = reason.empty() ? kBelowMin : reason;
    trace_.Add([&] { return DescribeBound(current(), desired); });
  }
  decision_.rescale = desired != current();
  decision_.target_replicas = desired;
  if (decision_.rescale) {
    decision_.rescale_reason = std::move(reason);
  } else {
    decision_.status.desired_replicas = current();
  }
}

std::int32_t Evaluation::Stabilize(std::int32_t raw) {
  const auto& behavior = autoscaler_.spec.behavior;
  auto& recommendations = decision_.memory.recommendations;
  std::int32_t stabilized = raw;
  Windows windows{{}, settings_.downscale_stabilization};
  if (behavior) {
    windows = WindowsOf(*behavior, settings_);
    stabilized = StabilizeBothWays(recommendations, current(), raw, snapshot_.now, windows);
  } else {
    stabilized = StabilizeScaleDown(recommendations, raw, snapshot_.now, windows.down);
  }
  trace_.Add([&] { return DescribeStabilization(raw, stabilized, windows); });

  if (stabilized == raw) {
    conditions_.True(api::kAbleToScale, "ReadyForNewScale",
                     "recommended size matches current size");
  } else if (behavior && raw >= current()) {
    conditions_.True(api::kAbleToScale, "ScaleUpStabilized",
                     "recent recommendations were lower than current one, applying the lowest "
                     "recent recommendation");
  } else {
    conditions_.True(api::kAbleToScale, "ScaleDownStabilized",
                     "recent recommendations were higher than current one, applying the highest "
                     "recent recommendation");
  }
  return stabilized;
}

Limited Evaluation::Limit(std::int32_t stabilized) {
  const auto& behavior = autoscaler_.spec.behavior;
  const Limited limited =
      behavior ? LimitByBehavior(current(), stabilized, bounds_, *behavior, decision_.memory,
                                 snapshot_.now)
               : LimitByDefault(stabilized, rules_.DefaultScaleUpLimit(current()), bounds_);
  trace_.Add([&] { return DescribeLimit(stabilized, limited); });
  if (limited.replicas == stabilized) {
    conditions_.False(api::kScalingLimited, limited.reason, limited.message);
  } else {
    conditions_.True(api::kScalingLimited, limited.reason, limited.message);
  }
  return limited;
}

void Evaluation::Refuse(const SelectorProblem& problem) {
  Note(problem.condition_reason, problem.message);
  if (!problem.event_reason.empty()) {
    decision_.events.push_back({"Warning", problem.event_reason, problem.message});
    conditions_.False(api::kScalingActive, problem.condition_reason, problem.condition_message);
  }
  GiveUp(problem.message);
}

// The metrics as a whole failed: nothing moves.
void Evaluation::GiveUp(const std::string& error) {
  decision_.events.push_back({"Warning", "FailedComputeMetricsReplicas", error});
  trace_.Add([&] { return DescribeEnd(error); });
}

void Evaluation::Note(const std::string& reason, const std::string& message) {
  decision_.problem = EvaluationProblem{reason, message};
}

}  // namespace

Decision Decide(const Snapshot& snapshot, Tracing tracing) {
  return Evaluation(snapshot, RulesFor(snapshot.autoscaler), tracing).Run();
}

}  // namespace ballast::engine
