#include "operator/engine/describe.h"

#include <optional>
#include <utility>

namespace ballast::engine {
namespace {

std::string Count(std::int64_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}
std::string Replicas(std::int32_t number) { return Count(number, "replica"); }

Step OfMetric(const Context& context, std::size_t index) {
  return {.rule = Rule::kMetric,
          .metric = Step::Metric{index, context.snapshot.autoscaler.spec.metrics[index].type}};
}

std::string DescribeUsage(const api::MetricValueStatus& usage) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (usage.average_utilization) {
    add(std::to_string(*usage.average_utilization) + "% of the requests");
  }
  if (usage.average_value) {
    add(usage.average_value->Print() + " a pod");
  }
  if (usage.value) {
    add(usage.value->Print());
  }
  return text;
}

// " 8 pods counted in full, 1 not ready, 1 without a sample."
std::string DescribePods(const std::optional<PodCounts>& pods) {
  if (!pods || pods->unready + pods->missing + pods->ignored == 0) {
    return "";
  }
  std::string text = " " + std::to_string(pods->ready) + " pods counted in full";
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

}  // namespace

Step DescribeScale(const api::Scale& scale, const Bounds& bounds) {
  return {.rule = Rule::kScale,
          .given = Replicas(scale.spec_replicas) + " wanted, " +
                   Count(scale.status_replicas, "pod") + " present",
          .out = scale.spec_replicas,
          .text = "The target has " + Replicas(scale.spec_replicas) + "; the bounds are " +
                  std::to_string(bounds.min) + " to " + std::to_string(bounds.max) + "."};
}

Step DescribeSwitchedOff() {
  return {.rule = Rule::kZero,
          .in = 0,
          .out = 0,
          .binding = true,
          .text =
              "The target is at zero and the autoscaler did not put it there, so it counts as "
              "switched off: nothing is scaled until somebody scales it up."};
}

Step DescribeBound(std::int32_t current, std::int32_t bound) {
  const char* which = bound < current ? "more than the maximum" : "less than the minimum";
  return {.rule = Rule::kBounds,
          .in = current,
          .out = bound,
          .binding = true,
          .text = Replicas(current) + " is " + which +
                  ": straight to the bound, whatever metrics and history say."};
}

Step DescribeProposal(const Context& context, std::size_t index, const Proposal& proposal) {
  const std::string usage = DescribeUsage(proposal.status.current);
  const std::string target = DescribeTarget(context.snapshot.autoscaler.spec.metrics[index]);
  const char* verdict = proposal.replicas > context.current   ? "asks for more"
                        : proposal.replicas < context.current ? "would do with fewer"
                                                              : "is content";
  Step step = OfMetric(context, index);
  step.given = usage + " (target " + target + ")";
  step.out = proposal.replicas;
  step.binding = proposal.replicas != context.current;
  step.text = proposal.metric + " is at " + usage + ", the target is " + target + ": it " +
              verdict + " (" + Replicas(proposal.replicas) + ")." + DescribePods(proposal.pods);
  return step;
}

Step DescribeMetricFailure(const Context& context, std::size_t index,
                           const MetricFailure& failure) {
  Step step = OfMetric(context, index);
  step.binding = true;
  step.text = "This metric could not be used: " + failure.cause + ".";
  return step;
}

Step DescribeUsedSample(const Context& context, std::size_t index, std::int32_t replicas) {
  return {.rule = Rule::kUsedSample,
          .in = replicas,
          .out = context.current,
          .binding = true,
          .text = NameOf(OfMetric(context, index)) +
                  " still shows the sample that justified the last scale-up: it asks for more "
                  "only when there is a newer one."};
}

Step DescribeCombination(const Context& context, const Combination& combination) {
  Step step{.rule = Rule::kCombination,
            .given = Count(static_cast<std::int64_t>(combination.statuses.size()), "metric"),
            .out = combination.replicas};
  if (!combination.replicas) {
    step.binding = true;
    step.text = "Metrics failed, and those that did not would only scale in: nothing changes.";
    return step;
  }
  step.binding = *combination.replicas != context.current;
  step.text = "The highest proposal counts: " + Replicas(*combination.replicas) + ", from " +
              combination.metric + ".";
  return step;
}

Step DescribeStabilization(std::int32_t raw, std::int32_t stabilized, const Windows& windows) {
  const bool binding = raw != stabilized;
  std::string text = "Recent recommendations agree.";
  if (binding && raw < stabilized) {
    text = "Within the last " + Print(windows.down) + " up to " + Replicas(stabilized) +
           " were recommended: not below that yet.";
  } else if (binding) {
    text = "Within the last " + Print(windows.up) + " less was recommended: scaling out only to " +
           Replicas(stabilized) + " yet.";
  }
  return {.rule = Rule::kStabilization,
          .in = raw,
          .out = stabilized,
          .binding = binding,
          .text = std::move(text)};
}

Step DescribeLimit(std::int32_t stabilized, const Limited& limited) {
  return {.rule = Rule::kLimits,
          .in = stabilized,
          .out = limited.replicas,
          .binding = stabilized != limited.replicas,
          .text = std::string(limited.reason) + ": " + std::string(limited.message) + "."};
}

Step DescribeHold(const Decision& decision, const std::string& reason, const std::string& message) {
  return {.rule = Rule::kHold,
          .in = decision.target_replicas,
          .out = decision.current_replicas,
          .binding = true,
          .text = reason + ": " + message + "."};
}

Step DescribeEnd(const std::string& error) {
  return {.rule = Rule::kEvaluation,
          .binding = true,
          .text = "No count can be had, the replicas stay: " + error + "."};
}

Step DescribeDecision(const Decision& decision) {
  const std::int32_t from = decision.current_replicas;
  const std::int32_t to = decision.dry_run_replicas.value_or(decision.target_replicas);
  Step step{.rule = Rule::kDecision, .in = from, .out = to};
  if (decision.dry_run_replicas) {
    step.binding = from != to;
    step.text = "Dry run: the scale would be " + std::to_string(to) + ".";
  } else if (decision.rescale) {
    step.binding = true;
    step.text = "Scale from " + std::to_string(from) + " to " + std::to_string(to) + ": " +
                decision.rescale_reason + ".";
  } else {
    step.out = from;
    step.text = "The replicas stay as they are.";
  }
  return step;
}

Step DescribeOutcome(const Decision& decision, const Outcome& outcome) {
  const std::int32_t to = decision.target_replicas;
  switch (outcome.kind) {
    case Outcome::Kind::kNotAttempted:
      return {.rule = Rule::kOutcome, .text = "The scale was not written."};
    case Outcome::Kind::kWritten:
      return {.rule = Rule::kOutcome, .in = to, .out = to, .text = "The scale was written."};
    case Outcome::Kind::kFailed:
      return {.rule = Rule::kOutcome,
              .in = to,
              .binding = true,
              .text = "The scale could not be written: " + outcome.message + "."};
    case Outcome::Kind::kUnknown:
      return {.rule = Rule::kOutcome,
              .in = to,
              .binding = true,
              .text = "Whether the scale was written is not known: " + outcome.message + "."};
  }
  return {};
}

}  // namespace ballast::engine
