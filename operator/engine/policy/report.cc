// Policies: reports the evaluation itself in the status (observedGeneration, Ready), and what
// of the operator concerns its user (HistoryDegraded).
#include <string>

#include "api/autoscaling/mode.h"
#include "operator/engine/passes.h"
#include "operator/engine/timetable.h"

namespace ballast::engine {
namespace {

// What is to be told of schedules whose time zone nobody knows; empty: there are none.
std::string LostZones(const Snapshot& snapshot) {
  std::string names;
  for (std::size_t i = 0; snapshot.schedules && i < snapshot.schedules->lost.size(); ++i) {
    const LostZone& lost = snapshot.schedules->lost[i];
    names += (names.empty() ? "" : ", ") + std::string(kBySchedule) + lost.name + "\" (" +
             lost.time_zone + ")";
  }
  return names.empty() ? ""
                       : "the time zone is not known, so that bounds and holds stay as they were "
                         "last: " +
                             names + "; give the schedule a zone that the zone data have";
}

}  // namespace

void ObserveGeneration(DecideState& evaluation) {
  evaluation.decision.status.observed_generation =
      evaluation.snapshot.autoscaler.metadata.generation;
}

void ReportReady(DecideState& evaluation) {
  const auto& problem = evaluation.decision.problem;
  if (!api::ModeOf(evaluation.spec).evaluates) {
    evaluation.conditions.True(api::kReady, api::kModeDisabled,
                               "spec.mode is Disabled: the policy is not evaluated");
  } else if (problem) {
    evaluation.conditions.False(api::kReady, problem->reason, problem->message);
  } else if (const std::string lost = LostZones(evaluation.snapshot); !lost.empty()) {
    evaluation.conditions.False(api::kReady, "UnknownTimeZone", lost);
  } else {
    evaluation.conditions.True(api::kReady, "Evaluated",
                               "the policy was evaluated without problems");
  }
}

// The event comes once: afterwards the status tells of it.
void ReportLedgerTrouble(DecideState& evaluation) {
  const auto& trouble = evaluation.snapshot.ledger_trouble;
  if (!trouble) {
    evaluation.conditions.Remove(api::kHistoryDegraded);
    return;
  }
  Decision& decision = evaluation.decision;
  if (!IsTrue(decision.status.conditions, api::kHistoryDegraded)) {
    decision.events.push_back({"Warning", api::kHistoryDegraded, trouble->message});
  }
  evaluation.conditions.True(api::kHistoryDegraded, trouble->reason, trouble->message);
}

void ReportFailedWrite(ConcludeState& concluding) {
  using Kind = Outcome::Kind;
  const Outcome& outcome = concluding.outcome;
  if (outcome.kind == Kind::kFailed || outcome.kind == Kind::kUnknown) {
    concluding.conditions.False(api::kReady, "FailedUpdateScale",
                                "the target's scale could not be written: " + outcome.message);
  }
}

}  // namespace ballast::engine
