// The lists of passes that make a decision and a conclusion, in order. docs/engine.md has the same
// lists; a test compares them.
//
// A new rule takes a file with its function, a declaration here and a row in passes.cc.
//
// Errors: none; a problem becomes a part of the decision (pass.h).
#pragma once

#include <span>

#include "operator/engine/pass.h"

namespace ballast::engine {

// Run until one of them sets DecideState::counted.
std::span<const Pass<DecideState>> CountingPasses();
// Run by the pass "metrics", for each of spec.metrics.
std::span<const Pass<MetricState>> MetricPasses();
// Run in any case, after the counting.
std::span<const Pass<DecideState>> FinishingPasses();
std::span<const Pass<ConcludeState>> ConcludingPasses();

// Counting.
void RestWhenDisabled(DecideState& evaluation);
void ReadScale(DecideState& evaluation);
void RepairMemory(DecideState& evaluation);
void TakeOver(DecideState& evaluation);
void SeedMemory(DecideState& evaluation);
void TellSchedules(DecideState& evaluation);
void FollowScheduleAtZero(DecideState& evaluation);
void LeaveZeroAlone(DecideState& evaluation);
void MoveIntoBounds(DecideState& evaluation);
void SelectPods(DecideState& evaluation);
void CompareCounts(DecideState& evaluation);
void EvaluateMetrics(DecideState& evaluation);
void FallBack(DecideState& evaluation);
void CombineMetrics(DecideState& evaluation);
void Stabilize(DecideState& evaluation);
void Limit(DecideState& evaluation);
void WakeUp(DecideState& evaluation);
void Rescale(DecideState& evaluation);

// Each metric.
void Propose(MetricState& metric);
void CutUsedSample(MetricState& metric);

// Finishing.
void ObserveGeneration(DecideState& evaluation);
void ApplyMode(DecideState& evaluation);
void HoldForPause(DecideState& evaluation);
void HoldForUnsettledWrite(DecideState& evaluation);
void HoldForOldView(DecideState& evaluation);
void HoldForSuspectSource(DecideState& evaluation);
void ReportBounds(DecideState& evaluation);
void ReportFallback(DecideState& evaluation);
void ReleaseHold(DecideState& evaluation);
void ReportOpponent(DecideState& evaluation);
void ReportLedgerTrouble(DecideState& evaluation);
void ReportReady(DecideState& evaluation);
void TraceDecision(DecideState& evaluation);

// Concluding.
void ReportOutcome(ConcludeState& concluding);
void RememberAttempt(ConcludeState& concluding);
void ReportFailedWrite(ConcludeState& concluding);
void CompactMemory(ConcludeState& concluding);
void FindNextRelease(ConcludeState& concluding);

}  // namespace ballast::engine
