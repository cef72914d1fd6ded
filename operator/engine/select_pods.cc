// The pods that the target's selector matches; without them, or if they are another autoscaler's
// too, nothing can be counted.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <variant>

#include "operator/engine/passes.h"
#include "operator/engine/selector_check.h"
#include "operator/engine/words.h"

namespace ballast::engine {
namespace {

bool HasEnded(const std::shared_ptr<const api::Pod>& pod) { return pod->has_ended(); }

// The pods that count; `kept` holds them if they are not all of `pods`.
const PodList& WithoutEnded(const PodList& pods, PodList& kept) {
  if (std::ranges::none_of(pods, HasEnded)) {
    return pods;
  }
  std::ranges::remove_copy_if(pods, std::back_inserter(kept), HasEnded);
  return kept;
}

// Whether a count cannot be computed without the pods: they are measured themselves, or the ready
// ones are counted for a target of the whole.
bool NeedsPods(const api::AutoscalerSpec& spec) {
  return std::ranges::any_of(spec.metrics, [](const api::MetricSpec& metric) {
    const api::MetricTarget* target = TargetOf(metric);
    const bool of_whole = metric.object || metric.external || metric.prometheus;
    return !of_whole || target == nullptr || target->type != "AverageValue";
  });
}

void Report(DecideState& evaluation, const SelectorProblem& problem) {
  evaluation.Note(problem.condition_reason, problem.message);
  if (!problem.event_reason.empty()) {
    evaluation.decision.events.push_back({"Warning", problem.event_reason, problem.message});
    evaluation.conditions.False(api::kScalingActive, problem.condition_reason,
                                problem.condition_message);
  }
  evaluation.GiveUp(problem.message);
}

}  // namespace

void SelectPods(DecideState& evaluation) {
  const Snapshot& snapshot = evaluation.snapshot;
  const api::Scale& scale = *evaluation.scale;
  if (!evaluation.quirks.needs_selector && scale.selector.empty() && !NeedsPods(evaluation.spec)) {
    evaluation.pods = &evaluation.without_ended;
    return;
  }
  std::optional<SelectorProblem> problem = CheckSelector(snapshot, scale);
  if (!problem) {
    const PodList& matched = std::get<PodList>(snapshot.pods);
    evaluation.pods = evaluation.quirks.ended_pods_count
                          ? &matched
                          : &WithoutEnded(matched, evaluation.without_ended);
    problem = CheckRivals(snapshot, scale, *evaluation.pods, evaluation.quirks);
  }
  if (problem) {
    Report(evaluation, *problem);
  }
}

// A metric is an average over all pods that the selector matches, and is multiplied by the pods
// that the target has: who reads of the one must hear of the other. During a roll-out both counts
// move, and either may be ahead for a moment. Of an HPA only the trace tells it.
void CompareCounts(DecideState& evaluation) {
  if (!evaluation.policy && !evaluation.trace.on()) {
    return;
  }
  const api::Scale& scale = *evaluation.scale;
  const std::int64_t matched = std::ranges::count_if(*evaluation.pods, [](const auto& pod) {
    return !pod->has_ended() && !pod->metadata.deletion_timestamp;
  });
  const std::int32_t own = std::max(scale.spec_replicas, scale.status_replicas);
  if (matched <= own) {
    if (evaluation.policy) {
      evaluation.conditions.Remove(api::kSelectorMatchesExtraPods);
    }
    return;
  }
  const auto describe = [&] {
    return Count(matched, "pod") + " match the selector " + scale.selector +
           ", and the target has " + std::to_string(own) +
           ": those of others are part of each average";
  };
  evaluation.trace.Add([&] {
    return Step{.rule = Rule::kSelector,
                .given = Count(matched, "pod") + " matched",
                .out = own,
                .text = describe() + "."};
  });
  if (evaluation.policy) {
    evaluation.conditions.True(api::kSelectorMatchesExtraPods, "ExtraPods",
                               describe() + "; spec.podSelection: Owned leaves them out");
  }
}

}  // namespace ballast::engine
