#include "operator/cli/why_explain.h"

#include <algorithm>
#include <utility>

#include "operator/cli/recorded_decision.h"
#include "operator/engine/binding.h"
#include "operator/engine/conditions.h"
#include "operator/engine/engine.h"
#include "operator/engine/samples.h"
#include "operator/engine/stabilization.h"

namespace ballast::cli {
namespace {

using engine::Step;
using store::Entry;
using store::Fate;

bool IsMetric(const Step& step) { return step.rule.starts_with("metric "); }

std::vector<MetricView> ViewMetrics(const engine::Snapshot& snapshot,
                                    const engine::Decision& decision) {
  std::vector<MetricView> views;
  for (const Step& step : decision.trace) {
    if (!IsMetric(step)) {
      continue;
    }
    MetricView view{step.rule, step.text, std::nullopt, std::nullopt};
    if (!step.output.empty()) {
      view.proposal = std::stoi(step.output);
    }
    // The metrics are computed in their order, each with one step.
    if (const std::size_t i = views.size(); i < snapshot.metrics.size()) {
      if (const auto newest = engine::NewestTimestamp(snapshot.metrics[i])) {
        view.age = snapshot.now - *newest;
      }
    }
    views.push_back(std::move(view));
  }
  return views;
}

std::string Replicas(std::int32_t count) {
  return std::to_string(count) + (count == 1 ? " replica" : " replicas");
}

std::string Proposed(const std::string& count) {
  return count + (count == "1" ? " was proposed" : " were proposed");
}

// A sentence of the trace as a part of another.
std::string Clause(std::string text) {
  if (text.ends_with('.')) {
    text.pop_back();
  }
  return text;
}

// ---- What held the count

Duration Window(const engine::Snapshot& snapshot, bool up) {
  const auto& behavior = snapshot.autoscaler.spec.behavior;
  if (!behavior) {
    return up ? Duration{} : snapshot.settings.downscale_stabilization;
  }
  const auto windows = engine::WindowsOf(*behavior, snapshot.settings);
  return up ? windows.up : windows.down;
}

// "the scale-down window of 5m0s holds 17"
std::string DescribeWindow(const engine::Snapshot& snapshot, const Step& step) {
  const bool up = std::stoi(step.output) < std::stoi(step.input);
  return std::string("the scale-") + (up ? "up" : "down") + " window of " +
         Print(Window(snapshot, up)) + (up ? " allows only " : " holds ") + step.output;
}

std::string DescribeLimit(const engine::Snapshot& snapshot, const engine::Decision& decision,
                          const Step& step) {
  const auto& spec = snapshot.autoscaler.spec;
  const api::Condition* limited = engine::Find(decision.status.conditions, engine::kScalingLimited);
  const std::string reason = limited == nullptr ? "" : limited->reason;
  if (reason == "TooManyReplicas") {
    return "maxReplicas is " + std::to_string(spec.max_replicas);
  }
  if (reason == "TooFewReplicas") {
    return "minReplicas is " + std::to_string(spec.min_replicas.value_or(1));
  }
  const bool up = reason == "ScaleUpLimit";
  if (!spec.behavior) {
    return "one step leads at most to twice as many replicas, or 4: " + step.output;
  }
  const auto& rules = up ? spec.behavior->scale_up : spec.behavior->scale_down;
  if (rules && rules->select_policy == "Disabled") {
    return std::string("behavior.") + (up ? "scaleUp" : "scaleDown") + ".selectPolicy is Disabled";
  }
  return std::string("the rate of scale-") + (up ? "up" : "down") + " allows " + step.output;
}

// What stood between the proposal and the count: "14 were proposed, but ...". Empty if nothing did.
std::string Obstacle(const Reconstruction& inputs, Zone zone) {
  const engine::Decision& decision = inputs.decision;
  const Step* step = FindStep(decision, inputs.binding);
  if (step == nullptr) {
    return "";
  }
  std::string text;
  if (inputs.binding == "stabilization" || inputs.binding == "limits") {
    const Step* proposed = FindStep(decision, "combination");
    text = Proposed(proposed == nullptr ? step->input : proposed->output) + ", but ";
    text += inputs.binding == "limits" ? DescribeLimit(inputs.snapshot, decision, *step)
                                       : DescribeWindow(inputs.snapshot, *step);
  } else if (inputs.binding == "one scale-up a sample") {
    text = Proposed(step->input) +
           ", but from a sample that has already justified a scale-up: a newer one is waited for";
  } else {
    text = Clause(step->text);
  }
  if (inputs.release) {
    text += " until " + PrintNear(zone, inputs.release->at, inputs.snapshot.now);
  }
  return text;
}

// Why it stayed although nothing stood in the way.
std::string Content(const Reconstruction& inputs) {
  const auto tolerated = std::ranges::any_of(
      inputs.alternatives,
      [](const Alternative& alternative) { return alternative.what == "without the tolerance"; });
  std::string text = tolerated ? "the metrics are within the tolerance of their targets"
                               : "the metrics ask for just as many";
  for (const MetricView& metric : inputs.metrics) {
    text += (&metric == &inputs.metrics.front() ? ": " : "; ") + Clause(metric.text);
  }
  return text;
}

// The cause of a change of replicas.
std::string Cause(const Entry& entry, const Reconstruction* inputs, Zone zone) {
  if (inputs == nullptr) {
    return entry.message;
  }
  std::string text = inputs->decision.rescale_reason;
  const std::string obstacle = Obstacle(*inputs, zone);
  return obstacle.empty() || inputs->binding == "bounds" ? text : text + " (" + obstacle + ")";
}

std::string Stay(const Entry& entry, const Reconstruction* inputs, Zone zone) {
  if (entry.reason == "Disabled") {
    return "spec.mode is Disabled, so nothing is evaluated";
  }
  if (inputs == nullptr) {
    return entry.reason + (entry.message.empty() ? "" : ": " + entry.message);
  }
  const engine::Decision& decision = inputs->decision;
  const std::string obstacle = Obstacle(*inputs, zone);
  if (decision.problem && (obstacle.empty() || inputs->binding == "evaluation")) {
    return "no count could be had: " + decision.problem->message;
  }
  return obstacle.empty() ? Content(*inputs) : obstacle;
}

}  // namespace

Result<Reconstruction> Reconstruct(const std::string& snapshot, const Entry& entry) {
  Reconstruction inputs;
  ASSIGN_OR_RETURN(inputs.snapshot, ParseRecorded(entry, snapshot));
  inputs.decision = engine::Decide(inputs.snapshot);
  inputs.metrics = ViewMetrics(inputs.snapshot, inputs.decision);
  if (const Step* binding = engine::BindingStep(inputs.decision)) {
    inputs.binding = binding->rule;
  }
  if (inputs.binding == "stabilization" || inputs.binding == "limits") {
    inputs.release = engine::Conclude(inputs.snapshot, inputs.decision, OutcomeOf(entry)).release;
  }
  inputs.alternatives = FindAlternatives(inputs.snapshot, inputs.decision);
  return inputs;
}

std::string Answer(const Entry& entry, const Reconstruction* inputs, Zone zone) {
  const std::string who = entry.subject.key.Print();
  const std::string from = std::to_string(entry.current_replicas);
  const std::string to = std::to_string(entry.desired_replicas);
  const std::string cause = Cause(entry, inputs, zone);
  switch (entry.fate) {
    case Fate::kWritten:
      return who + " was scaled from " + from + " to " + to + ": " + cause + ".";
    case Fate::kFailed:
      return who + " stayed at " + from + ": it was to be scaled to " + to +
             ", but the write failed: " + Clause(entry.error) + ".";
    case Fate::kIntended:
      return who + " was about to be scaled from " + from + " to " + to + " (" + cause +
             "); how that ended is not recorded.";
    case Fate::kUnknown:
      return who + " was to be scaled from " + from + " to " + to +
             ", and whether that was written is not known: " + Clause(entry.error) + ".";
    case Fate::kDryRun:
      if (entry.changes()) {
        return who + " stayed at " + from +
               ": spec.mode is DryRun, else it would have been scaled to " + to + ": " + cause +
               ".";
      }
      break;
    case Fate::kNone:
      break;
  }
  return who + " stayed at " + Replicas(entry.current_replicas) + ": " +
         Clause(Stay(entry, inputs, zone)) + ".";
}

}  // namespace ballast::cli
