// The lists of passes that make a decision and a conclusion, in order. docs/engine.md has the same
// lists; a test compares them.
//
// A new rule takes a file with its function, a declaration here and a row in passes.cc.
//
// Thread-safety: pure functions of their state.
// Errors: none; a problem becomes a part of the decision (pass.h).
#pragma once

#include <span>

#include "operator/engine/pass.h"

namespace ballast::engine {

// Run until one of them sets Evaluation::counted.
std::span<const Pass<Evaluation>> CountingPasses();
// Run by the pass "metrics", for each of spec.metrics.
std::span<const Pass<MetricEvaluation>> MetricPasses();
// Run in any case, after the counting.
std::span<const Pass<Evaluation>> FinishingPasses();
std::span<const Pass<Concluding>> ConcludingPasses();

// Counting.
void RestWhenDisabled(Evaluation& evaluation);
void ReadScale(Evaluation& evaluation);
void DistrustMemory(Evaluation& evaluation);
void SeedMemory(Evaluation& evaluation);
void LeaveZeroAlone(Evaluation& evaluation);
void MoveIntoBounds(Evaluation& evaluation);
void SelectPods(Evaluation& evaluation);
void CompareCounts(Evaluation& evaluation);
void EvaluateMetrics(Evaluation& evaluation);
void FallBack(Evaluation& evaluation);
void CombineMetrics(Evaluation& evaluation);
void Stabilize(Evaluation& evaluation);
void Limit(Evaluation& evaluation);
void WakeUp(Evaluation& evaluation);
void Rescale(Evaluation& evaluation);

// Each metric.
void Propose(MetricEvaluation& metric);
void CutUsedSample(MetricEvaluation& metric);

// Finishing.
void ObserveGeneration(Evaluation& evaluation);
void ApplyMode(Evaluation& evaluation);
void HoldForPause(Evaluation& evaluation);
void HoldForUnsettledWrite(Evaluation& evaluation);
void HoldForOldView(Evaluation& evaluation);
void HoldForSuspectSource(Evaluation& evaluation);
void ReportFallback(Evaluation& evaluation);
void ReleaseHold(Evaluation& evaluation);
void ReportReady(Evaluation& evaluation);
void TraceDecision(Evaluation& evaluation);

// Concluding.
void ReportOutcome(Concluding& concluding);
void RememberAttempt(Concluding& concluding);
void ReportFailedWrite(Concluding& concluding);
void CompactMemory(Concluding& concluding);
void FindNextRelease(Concluding& concluding);

}  // namespace ballast::engine
