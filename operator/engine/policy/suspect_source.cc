#include "operator/engine/policy/suspect_source.h"

#include <algorithm>
#include <string>

#include "api/autoscaling/mode.h"
#include "api/autoscaling/trust_annotation.h"
#include "operator/engine/passes.h"

namespace ballast::engine {
namespace {

std::string Explain(const SuspectSource& source, Time until) {
  return source.name +
         " turned to zero, or lost most of its pods, for several policies at once, and may be "
         "broken: nothing is scaled in because of it until " +
         Print(until) + ", unless it recovers or the annotation " + api::kSourcesTrustedUntil +
         " trusts it";
}

// Moving into the bounds needs no metrics.
bool ScalesIn(const Decision& decision) {
  return decision.rescale && decision.target_replicas < decision.current_replicas &&
         decision.current_replicas <= decision.bounds.max;
}

Step Describe(const Decision& decision, const std::string& message, bool holds) {
  Step step{.rule = Rule::kHold, .binding = holds, .text = message + "."};
  if (holds) {
    step.in = decision.target_replicas;
    step.out = decision.current_replicas;
    step.text = "Scaling to " + std::to_string(decision.target_replicas) + " is held: " + step.text;
  }
  return step;
}

// Whether the status says so already.
bool WasTold(const Snapshot& snapshot) {
  const api::Condition* held = Find(snapshot.autoscaler.status.conditions, api::kHeld);
  return held != nullptr && held->status == "True" && held->reason == kSourceSuspect;
}

}  // namespace

std::optional<Time> SuspectUntil(const Snapshot& snapshot) {
  const auto& source = snapshot.suspect_source;
  if (!source || !snapshot.autoscaler.is_policy() ||
      !api::ModeOf(snapshot.autoscaler.spec).writes_scale) {
    return std::nullopt;
  }
  const Time until = std::min(source->since, snapshot.now) + snapshot.settings.suspect_hold;
  const bool over = snapshot.now >= until;
  return over || api::TrustsSources(snapshot.autoscaler, snapshot.now) ? std::nullopt
                                                                       : std::optional(until);
}

// The condition Held says so as long as it lasts, also while there is nothing to hold; whatever
// else holds comes first. What spec.fallback asks for is none of the source's values.
void HoldForSuspectSource(DecideState& evaluation) {
  const Snapshot& snapshot = evaluation.snapshot;
  Decision& decision = evaluation.decision;
  if (const auto& source = snapshot.suspect_source) {
    decision.memory.suspect_since = std::min(source->since, snapshot.now);
  } else if (!evaluation.metrics.empty()) {
    decision.memory.suspect_since.reset();
  }
  const auto until = SuspectUntil(snapshot);
  if (!until || !evaluation.movement.fallback.empty()) {
    return;
  }
  const std::string message = Explain(*snapshot.suspect_source, *until);
  const bool holds = ScalesIn(decision);
  evaluation.trace.Add([&] { return Describe(decision, message, holds); });
  if (holds || !evaluation.held) {
    evaluation.conditions.True(api::kHeld, kSourceSuspect, message);
    evaluation.held = true;
    if (!WasTold(snapshot)) {
      decision.events.push_back({"Warning", kSourceSuspect, message});
    }
  }
  if (holds) {
    evaluation.KeepReplicas();
  }
}

}  // namespace ballast::engine
