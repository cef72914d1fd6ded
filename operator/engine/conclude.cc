#include <optional>
#include <string>
#include <utility>

#include "operator/engine/conditions.h"
#include "operator/engine/describe.h"
#include "operator/engine/engine.h"
#include "operator/engine/rate_limit.h"
#include "operator/engine/release.h"
#include "operator/engine/rules.h"
#include "operator/engine/scale_to_zero.h"

namespace ballast::engine {
namespace {

void ConcludeWritten(const Snapshot& snapshot, const Decision& decision, Conditions& conditions,
                     Conclusion& conclusion) {
  const api::Autoscaler& autoscaler = snapshot.autoscaler;
  const std::string size = std::to_string(decision.target_replicas);
  conditions.True(api::kAbleToScale, "SucceededRescale",
                  "the HPA controller was able to update the target scale to " + size);
  conclusion.events.push_back({"Normal", "SuccessfulRescale",
                               "New size: " + size + "; reason: " + decision.rescale_reason});
  RecordZero(RulesFor(autoscaler).SettingsFor(snapshot), autoscaler, decision.bounds.min,
             decision.current_replicas, decision.target_replicas, conditions);
  conclusion.status.desired_replicas = decision.target_replicas;
  conclusion.status.last_scale_time = snapshot.now;
}

void ConcludeFailed(const Decision& decision, const std::string& error, Conditions& conditions,
                    Conclusion& conclusion) {
  conclusion.events.push_back({"Warning", "FailedRescale",
                               "New size: " + std::to_string(decision.target_replicas) +
                                   "; reason: " + decision.rescale_reason + "; error: " + error});
  conditions.False(api::kAbleToScale, "FailedUpdateScale",
                   "the HPA controller was unable to update the target scale: " + error);
}

std::optional<Release> ReleaseAfter(const Snapshot& snapshot, const Decision& decision,
                                    const Outcome& outcome, const Memory& memory) {
  if (!decision.recommended) {
    return std::nullopt;
  }
  const Rules& rules = RulesFor(snapshot.autoscaler);
  const std::int32_t current = outcome.kind == Outcome::Kind::kWritten ? decision.target_replicas
                                                                       : decision.current_replicas;
  return FindRelease(snapshot.autoscaler.spec, rules.SettingsFor(snapshot), decision.bounds,
                     {memory, current, *decision.recommended, rules.DefaultScaleUpLimit(current)},
                     snapshot.now);
}

}  // namespace

void CountAttempt(Memory& memory, const Snapshot& snapshot, const Decision& decision,
                  const Outcome& outcome) {
  if (outcome.kind == Outcome::Kind::kWritten || outcome.kind == Outcome::Kind::kUnknown) {
    RecordScaleEvent(memory, snapshot.autoscaler.spec.behavior, decision.current_replicas,
                     decision.target_replicas, snapshot.now);
    RulesFor(snapshot.autoscaler).UseSamples(snapshot, decision, memory);
  }
}

Conclusion Conclude(const Snapshot& snapshot, Decision decision, const Outcome& outcome) {
  Conclusion conclusion{.rescale = decision.rescale,
                        .dry_run_replicas = decision.dry_run_replicas,
                        .status = std::move(decision.status),
                        .events = std::move(decision.events),
                        .memory = std::move(decision.memory),
                        .trace = std::move(decision.trace)};
  Conditions conditions(conclusion.status.conditions, snapshot.now);
  switch (outcome.kind) {
    case Outcome::Kind::kNotAttempted:
      break;
    case Outcome::Kind::kWritten:
      ConcludeWritten(snapshot, decision, conditions, conclusion);
      break;
    case Outcome::Kind::kFailed:
    case Outcome::Kind::kUnknown:
      ConcludeFailed(decision, outcome.message, conditions, conclusion);
      break;
  }
  CountAttempt(conclusion.memory, snapshot, decision, outcome);
  RulesFor(snapshot.autoscaler).Finish(snapshot, decision, outcome, conclusion);
  conclusion.release = ReleaseAfter(snapshot, decision, outcome, conclusion.memory);
  if (!conclusion.trace.empty()) {
    conclusion.trace.push_back(DescribeOutcome(decision, outcome));
  }
  return conclusion;
}

}  // namespace ballast::engine
