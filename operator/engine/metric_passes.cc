// Runs the passes of each of spec.metrics and describes the results in the trace.
#include <optional>
#include <string>
#include <variant>

#include "operator/engine/metric/tolerance.h"
#include "operator/engine/passes.h"
#include "operator/engine/words.h"

namespace ballast::engine {
namespace {

std::string DescribeUsage(const api::MetricValueStatus& usage) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (usage.average_utilization) {
    add(std::to_string(*usage.average_utilization) + "% of the requests");
  }
  if (usage.average_value) {
    add(usage.average_value->PrintShort() + " a pod");
  }
  if (usage.value) {
    add(usage.value->PrintShort());
  }
  return text;
}

// " 8 pods counted in full, 1 not ready, 1 without a sample."
std::string DescribePods(const std::optional<PodCounts>& pods) {
  if (!pods || pods->unready + pods->missing + pods->ignored == 0) {
    return "";
  }
  std::string text = " " + Count(static_cast<std::int64_t>(pods->ready), "pod") + kCountedInFull;
  const auto add = [&](std::size_t count, const char* what) {
    text += count == 0 ? "" : ", " + std::to_string(count) + what;
  };
  add(pods->unready, " not ready");
  add(pods->missing, " without a sample");
  add(pods->ignored, " ending or failed");
  return text + ".";
}

std::string DescribeTarget(const api::MetricSpec& spec) {
  const api::MetricTarget* target = TargetOf(spec);
  return target == nullptr
             ? ""
             : DescribeUsage({target->value, target->average_value, target->average_utilization});
}

Step Describe(const MetricState& metric, const Proposal& proposal) {
  const std::int32_t current = metric.context.current;
  const std::string usage = DescribeUsage(proposal.status.current);
  const std::string target =
      DescribeTarget(metric.context.snapshot.autoscaler.spec.metrics[metric.index]);
  const char* verdict = proposal.replicas > current   ? "needs more replicas"
                        : proposal.replicas < current ? "needs fewer replicas"
                                                      : "needs no change";
  Step step = metric.NewStep();
  step.given = usage + " (target " + target + ")";
  step.out = proposal.replicas;
  step.binding = proposal.replicas != current;
  step.text = proposal.metric + " is at " + usage + ", the target is " + target + ": it " +
              verdict + " (" + Replicas(proposal.replicas) + ")." + DescribePods(proposal.pods);
  return step;
}

Step Describe(const MetricState& metric, const MetricFailure& failure) {
  Step step = metric.NewStep();
  step.binding = true;
  step.text = std::string(kUnusable) + failure.cause + ".";
  return step;
}

}  // namespace

Step MetricState::NewStep() const {
  return {.rule = Rule::kMetric,
          .metric = Step::Metric{index, context.snapshot.autoscaler.spec.metrics[index].type}};
}

void EvaluateMetrics(DecideState& evaluation) {
  const Context context{evaluation.snapshot,
                        evaluation.quirks,
                        evaluation.settings,
                        *evaluation.pods,
                        evaluation.current(),
                        evaluation.scale->status_replicas,
                        TolerancesFor(evaluation.settings, evaluation.spec)};
  evaluation.metrics.reserve(evaluation.spec.metrics.size());
  for (std::size_t i = 0; i < evaluation.spec.metrics.size(); ++i) {
    MetricState metric{context, i, evaluation.decision.memory, evaluation.trace,
                       evaluation.metrics};
    Apply(MetricPasses(), evaluation.policy, metric);
  }
}

void Propose(MetricState& metric) {
  metric.outcomes.push_back(ComputeMetric(metric.context, metric.index));
  if (auto* proposal = std::get_if<Proposal>(&metric.outcome())) {
    proposal->asked = proposal->replicas;
  }
  metric.trace.Add([&] {
    return std::visit([&](const auto& outcome) { return Describe(metric, outcome); },
                      metric.outcome());
  });
}

}  // namespace ballast::engine
