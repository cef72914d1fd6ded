#include "operator/engine/describe.h"

#include <optional>

namespace ballast::engine {
namespace {

std::string Count(std::int64_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}
std::string Replicas(std::int32_t number) { return Count(number, "replica"); }

std::string RuleOf(const Context& context, std::size_t index) {
  return "metric " + std::to_string(index) + " (" +
         context.snapshot.autoscaler.spec.metrics[index].type + ")";
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
  return {"scale",
          Replicas(scale.spec_replicas) + " wanted, " + Count(scale.status_replicas, "pod") +
              " present",
          std::to_string(scale.spec_replicas), false,
          "The target has " + Replicas(scale.spec_replicas) + "; the bounds are " +
              std::to_string(bounds.min) + " to " + std::to_string(bounds.max) + "."};
}

Step DescribeSwitchedOff() {
  return {"zero", "0", "0", true,
          "The target is at zero and the autoscaler did not put it there, so it counts as switched "
          "off: nothing is scaled until somebody scales it up."};
}

Step DescribeBound(std::int32_t current, std::int32_t bound) {
  const char* which = bound < current ? "more than the maximum" : "less than the minimum";
  return {"bounds", std::to_string(current), std::to_string(bound), true,
          Replicas(current) + " is " + which +
              ": straight to the bound, whatever metrics and history say."};
}

Step DescribeProposal(const Context& context, std::size_t index, const Proposal& proposal) {
  const std::string usage = DescribeUsage(proposal.status.current);
  const std::string target = DescribeTarget(context.snapshot.autoscaler.spec.metrics[index]);
  const char* verdict = proposal.replicas > context.current   ? "asks for more"
                        : proposal.replicas < context.current ? "would do with fewer"
                                                              : "is content";
  return {RuleOf(context, index), usage + " (target " + target + ")",
          std::to_string(proposal.replicas), proposal.replicas != context.current,
          proposal.metric + " is at " + usage + ", the target is " + target + ": it " + verdict +
              " (" + Replicas(proposal.replicas) + ")." + DescribePods(proposal.pods)};
}

Step DescribeMetricFailure(const Context& context, std::size_t index,
                           const MetricFailure& failure) {
  return {RuleOf(context, index), "", "", true,
          "This metric could not be used: " + failure.cause + "."};
}

Step DescribeUsedSample(const Context& context, std::size_t index, std::int32_t replicas) {
  return {"one scale-up a sample", std::to_string(replicas), std::to_string(context.current), true,
          RuleOf(context, index) +
              " still shows the sample that justified the last scale-up: it asks for more only "
              "when there is a newer one."};
}

Step DescribeCombination(const Context& context, const Combination& combination) {
  const std::size_t total = combination.statuses.size();
  if (!combination.replicas) {
    return {"combination", Count(static_cast<std::int64_t>(total), "metric"), "", true,
            "Metrics failed, and those that did not would only scale in: nothing changes."};
  }
  return {"combination", Count(static_cast<std::int64_t>(total), "metric"),
          std::to_string(*combination.replicas), *combination.replicas != context.current,
          "The highest proposal counts: " + Replicas(*combination.replicas) + ", from " +
              combination.metric + "."};
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
  return {"stabilization", std::to_string(raw), std::to_string(stabilized), binding, text};
}

Step DescribeLimit(std::int32_t stabilized, const Limited& limited) {
  return {"limits", std::to_string(stabilized), std::to_string(limited.replicas),
          stabilized != limited.replicas,
          std::string(limited.reason) + ": " + std::string(limited.message) + "."};
}

Step DescribeHold(const Decision& decision, const std::string& reason, const std::string& message) {
  return {"hold", std::to_string(decision.target_replicas),
          std::to_string(decision.current_replicas), true, reason + ": " + message + "."};
}

Step DescribeEnd(const std::string& error) {
  return {"evaluation", "", "", true, "No count can be had, the replicas stay: " + error + "."};
}

Step DescribeDecision(const Decision& decision) {
  const std::string from = std::to_string(decision.current_replicas);
  const std::string to =
      std::to_string(decision.dry_run_replicas.value_or(decision.target_replicas));
  if (decision.dry_run_replicas) {
    return {"decision", from, to, from != to, "Dry run: the scale would be " + to + "."};
  }
  if (!decision.rescale) {
    return {"decision", from, from, false, "The replicas stay as they are."};
  }
  return {"decision", from, to, true,
          "Scale from " + from + " to " + to + ": " + decision.rescale_reason + "."};
}

Step DescribeOutcome(const Decision& decision, const Outcome& outcome) {
  const std::string to = std::to_string(decision.target_replicas);
  switch (outcome.kind) {
    case Outcome::Kind::kNotAttempted:
      return {"outcome", "", "", false, "The scale was not written."};
    case Outcome::Kind::kWritten:
      return {"outcome", to, to, false, "The scale was written."};
    case Outcome::Kind::kFailed:
      return {"outcome", to, "", true, "The scale could not be written: " + outcome.message + "."};
    case Outcome::Kind::kUnknown:
      return {"outcome", to, "", true,
              "Whether the scale was written is not known: " + outcome.message + "."};
  }
  return {};
}

}  // namespace ballast::engine
