// The engine as lists: each pass that makes a decision or a conclusion, in the order in which they
// have their say. docs/engine.md has the same lists, and a test compares them.
//
// A new rule is a file with its function, declared here, and a row in passes.cc. Thread-safety:
// pure functions of their state. They cannot fail.
#pragma once

#include <span>

#include "operator/engine/pass.h"

namespace ballast::engine {

// Until one of them sets Evaluation::counted.
std::span<const Pass<Evaluation>> CountingPasses();
// In "metrics", for each of spec.metrics.
std::span<const Pass<MetricEvaluation>> MetricPasses();
// Whatever the counting came to.
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
void EvaluateMetrics(Evaluation& evaluation);
void CombineMetrics(Evaluation& evaluation);
void Stabilize(Evaluation& evaluation);
void Limit(Evaluation& evaluation);
void WakeUp(Evaluation& evaluation);
void Rescale(Evaluation& evaluation);

// Of each metric.
void Propose(MetricEvaluation& metric);
void CutUsedSample(MetricEvaluation& metric);

// Finishing.
void ObserveGeneration(Evaluation& evaluation);
void ApplyMode(Evaluation& evaluation);
void HoldForUnsettledWrite(Evaluation& evaluation);
void HoldForOldView(Evaluation& evaluation);
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
