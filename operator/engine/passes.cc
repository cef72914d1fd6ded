#include "operator/engine/passes.h"

namespace ballast::engine {
namespace {

using enum Kinds;

constexpr Pass<DecideState> kCounting[] = {
    {"disabled", kPolicies, RestWhenDisabled},
    {"scale", kAll, ReadScale},
    {"schedules", kAll, TellSchedules},
    {"interruption", kPolicies, RepairMemory},
    {"take-over", kPolicies, TakeOver},
    {"first evaluation", kAll, SeedMemory},
    {"zero by schedule", kPolicies, FollowScheduleAtZero},
    {"zero", kAll, LeaveZeroAlone},
    {"bounds", kAll, MoveIntoBounds},
    {"selector", kAll, SelectPods},
    {"extra pods", kAll, CompareCounts},
    {"metrics", kAll, EvaluateMetrics},
    {"fallback", kPolicies, FallBack},
    {"combination", kAll, CombineMetrics},
    {"stabilization", kAll, Stabilize},
    {"limits", kAll, Limit},
    {"wake-up", kAll, WakeUp},
    {"rescale", kAll, Rescale},
};

constexpr Pass<MetricState> kMetric[] = {
    {"proposal", kAll, Propose},
    {"one scale-up a sample", kPolicies, CutUsedSample},
};

constexpr Pass<DecideState> kFinishing[] = {
    {"generation", kPolicies, ObserveGeneration},
    {"mode", kPolicies, ApplyMode},
    {"pause", kAll, HoldForPause},
    {"unsettled write", kAll, HoldForUnsettledWrite},
    {"old view", kAll, HoldForOldView},
    {"suspect source", kPolicies, HoldForSuspectSource},
    {"bounds in force", kAll, ReportBounds},
    {"fallback in force", kPolicies, ReportFallback},
    {"no hold", kAll, ReleaseHold},
    {"tug of war", kPolicies, ReportOpponent},
    {"history", kPolicies, ReportLedgerTrouble},
    {"ready", kPolicies, ReportReady},
    {"decision", kAll, TraceDecision},
};

constexpr Pass<ConcludeState> kConcluding[] = {
    {"outcome", kAll, ReportOutcome},
    {"attempt", kAll, RememberAttempt},
    {"failed write", kPolicies, ReportFailedWrite},
    {"compaction", kPolicies, CompactMemory},
    {"release", kAll, FindNextRelease},
};

}  // namespace

std::span<const Pass<DecideState>> CountingPasses() { return kCounting; }
std::span<const Pass<MetricState>> MetricPasses() { return kMetric; }
std::span<const Pass<DecideState>> FinishingPasses() { return kFinishing; }
std::span<const Pass<ConcludeState>> ConcludingPasses() { return kConcluding; }

}  // namespace ballast::engine
