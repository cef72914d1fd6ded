#include <optional>
#include <string>
#include <utility>

#include "operator/engine/effective.h"
#include "operator/engine/engine.h"
#include "operator/engine/memory/remember.h"
#include "operator/engine/passes.h"
#include "operator/engine/policy/fallback.h"
#include "operator/engine/policy/suspect_source.h"
#include "operator/engine/release.h"
#include "operator/engine/scale_to_zero.h"

namespace ballast::engine {
namespace {

using Kind = Outcome::Kind;

void ConcludeWritten(ConcludeState& concluding) {
  const Snapshot& snapshot = concluding.snapshot;
  const Decision& decision = concluding.decision;
  Conclusion& conclusion = concluding.conclusion;
  const std::string size = std::to_string(decision.target_replicas);
  concluding.conditions.True(api::kAbleToScale, api::kSucceededRescale,
                             "the HPA controller was able to update the target scale to " + size);
  conclusion.events.push_back({"Normal", "SuccessfulRescale",
                               "New size: " + size + "; reason: " + decision.rescale_reason});
  RecordZero(concluding.settings, snapshot.autoscaler, decision, concluding.conditions);
  conclusion.status.desired_replicas = decision.target_replicas;
  conclusion.status.last_scale_time = snapshot.now;
}

void ConcludeFailed(ConcludeState& concluding) {
  const Decision& decision = concluding.decision;
  const std::string& error = concluding.outcome.message;
  concluding.conclusion.events.push_back({"Warning", "FailedRescale",
                                          "New size: " + std::to_string(decision.target_replicas) +
                                              "; reason: " + decision.rescale_reason +
                                              "; error: " + error});
  concluding.conditions.False(api::kAbleToScale, "FailedUpdateScale",
                              "the HPA controller was unable to update the target scale: " + error);
}

Step Describe(const Decision& decision, const Outcome& outcome) {
  const std::int32_t to = decision.target_replicas;
  switch (outcome.kind) {
    case Kind::kNotAttempted:
      return {.rule = Rule::kOutcome, .text = "The scale was not written."};
    case Kind::kWritten:
      return {.rule = Rule::kOutcome, .in = to, .out = to, .text = "The scale was written."};
    case Kind::kFailed:
      return {.rule = Rule::kOutcome,
              .in = to,
              .binding = true,
              .text = "The scale could not be written: " + outcome.message + "."};
    case Kind::kUnknown:
      return {.rule = Rule::kOutcome,
              .in = to,
              .binding = true,
              .text = "It is unknown whether the scale was written: " + outcome.message + "."};
  }
  return {};
}

}  // namespace

void ReportOutcome(ConcludeState& concluding) {
  switch (concluding.outcome.kind) {
    case Kind::kNotAttempted:
      break;
    case Kind::kWritten:
      ConcludeWritten(concluding);
      break;
    case Kind::kFailed:
    case Kind::kUnknown:
      ConcludeFailed(concluding);
      break;
  }
  if (auto& trace = concluding.conclusion.trace; !trace.empty()) {
    trace.push_back(Describe(concluding.decision, concluding.outcome));
  }
}

void RememberAttempt(ConcludeState& concluding) {
  CountAttempt(concluding.conclusion.memory, concluding.snapshot, concluding.decision,
               concluding.outcome);
}

void FindNextRelease(ConcludeState& concluding) {
  const Decision& decision = concluding.decision;
  const std::int32_t current = concluding.outcome.kind == Kind::kWritten
                                   ? decision.target_replicas
                                   : decision.current_replicas;
  Timetable timetable = TimetableOf(concluding.snapshot);
  timetable.last_scale = concluding.conclusion.status.last_scale_time;
  const Standing standing{.memory = concluding.conclusion.memory,
                          .current = current,
                          .recommended = decision.recommended,
                          .quirks = QuirksOf(concluding.policy, concluding.settings),
                          .pauses = EffectivePauses(concluding.snapshot),
                          .fallback = ComingFallback(concluding.snapshot, concluding.settings,
                                                     decision, concluding.conclusion.memory),
                          .suspect_until = SuspectUntil(concluding.snapshot),
                          .may_wake = concluding.policy &&
                                      IsOwnZero(concluding.settings, concluding.conclusion.status)};
  concluding.conclusion.release =
      FindRelease(timetable, concluding.settings, standing, concluding.snapshot.now);
}

Conclusion Conclude(const Snapshot& snapshot, Decision&& decision, const Outcome& outcome) {
  Conclusion conclusion{.rescale = decision.rescale,
                        .dry_run_replicas = decision.dry_run_replicas,
                        .status = std::move(decision.status),
                        .events = std::move(decision.events),
                        .memory = std::move(decision.memory),
                        .trace = std::move(decision.trace)};
  const Settings settings = EffectiveSettings(snapshot);
  ConcludeState concluding{.snapshot = snapshot,
                           .policy = snapshot.autoscaler.is_policy(),
                           .settings = settings,
                           .decision = decision,
                           .outcome = outcome,
                           .conclusion = conclusion,
                           .conditions = {conclusion.status.conditions, snapshot.now}};
  Apply(ConcludingPasses(), concluding.policy, concluding);
  return conclusion;
}

}  // namespace ballast::engine
