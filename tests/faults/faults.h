// What may go wrong in a run. Each seed draws some of it (the swarm principle: some kinds of faults
// are off, and some are extreme, so that no kind always hides another).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>

#include "tests/faults/fibers.h"

namespace ballast::faults {

// Kinds of faults, in the order of kFaultNames.
enum class Fault {
  kSlowCalls,        // some calls take seconds
  kLostRequests,     // some calls never reach the server
  kLostAnswers,      // some answers never reach the caller
  kErrors,           // some calls are refused: 429, 5xx
  kLateWatches,      // events come late
  kCutWatches,       // watches end
  kStalledWatches,   // watches send nothing for a while
  kExpiry,           // the server forgets its history: 410
  kSlowMetrics,      // the metrics API takes seconds
  kMetricOutages,    // the metrics API fails
  kSparseSamples,    // samples are a minute apart
  kAheadSamples,     // samples are stamped by a clock that is ahead
  kKills,            // kill -9
  kRestarts,         // orderly
  kPauses,           // SIGSTOP
  kPartitions,       // a replica reaches nothing
  kClockSteps,       // a wall clock is set
  kClockDrift,       // clocks run fast or slow
  kSlowDisk,         // commits take seconds
  kFailingDisk,      // commits fail
  kEdits,            // specs are edited
  kRecreation,       // policies are deleted and made again
  kOtherWriters,     // somebody else sets replicas
  kRollouts,         // all pods are replaced
  kPreemption,       // threads are interrupted at mutexes
  kFlaps,            // leadership goes to another replica, and soon back
  kAllMetrics,       // no fault: policies scale on metrics of all types
  kDoubledRequests,  // some writes that were applied arrive once more
  kGarbledAnswers,   // some answers are cut off or an error, although the call was carried out
  kLostTargets,      // targets are deleted and made again
  kAllEdits,         // windows, periods, minReplicas and modes are edited, and policies are paused
  kPages,            // no fault: a page of a list has three objects
  kNativeHpas,       // no fault: half of the autoscalers are HPAs in mode manage
  kRivals,           // the cluster's own HPA controller runs for a while
  kSeveralMetrics,   // no fault: autoscalers have up to three metrics
  kSqlite,           // no fault: a disk has a SQLite file; if it fails, single calls do, too
  kWebhook,          // replicas look after certificates, whose configurations are applied again
  kPowerCuts,        // every second kill is one: what the file has not synced is lost or torn
  kConflicts,        // a second autoscaler has a policy's target for a while
  kInvalidSpecs,     // the spec of a policy is invalid for a while
  kRemovals,         // autoscalers are deleted, and made again minutes later
  kRetargets,        // autoscalers get another target
  kRefusedWatches,   // watches and lists of a kind are refused for minutes, or hang
  kFallback,         // no fault: half of the policies with one metric have spec.fallback
  kOverriding,       // overrides are made, some are deleted before they end
  kSchedules,        // schedules come into the specs of policies, and some go again
  kObservedHpas,     // no fault: with HPAs, the cluster's own controller serves all of them
  kReviews,          // no fault: webhooks are asked about new policies
  kBehaviors,        // no fault: rates, windows and tolerances of all kinds
  kZeros,            // no fault: some ceilings and pins of overrides and schedules are 0
  kWindowForms,      // no fault: overrides replace others, or are by labels; schedules have zones
  kCalendars,        // schedules with times of every kind come, are edited in place, and go again
  kCount,
};

inline constexpr std::array<const char*, static_cast<std::size_t>(Fault::kCount)> kFaultNames{
    "slow-calls",
    "lost-requests",
    "lost-answers",
    "errors",
    "late-watches",
    "cut-watches",
    "stalled-watches",
    "expiry",
    "slow-metrics",
    "metric-outages",
    "sparse-samples",
    "ahead-samples",
    "kills",
    "restarts",
    "pauses",
    "partitions",
    "clock-steps",
    "clock-drift",
    "slow-disk",
    "failing-disk",
    "edits",
    "recreation",
    "other-writers",
    "rollouts",
    "preemption",
    "flaps",
    "all-metrics",
    "doubled-requests",
    "garbled-answers",
    "lost-targets",
    "all-edits",
    "pages",
    "hpas",
    "rivals",
    "several-metrics",
    "sqlite",
    "webhook",
    "power-cuts",
    "conflicts",
    "invalid-specs",
    "removals",
    "retargets",
    "refused-watches",
    "fallback",
    "overrides",
    "schedules",
    "observed-hpas",
    "reviews",
    "behaviors",
    "zeros",
    "window-forms",
    "calendars"};

inline const char* Name(Fault fault) { return kFaultNames[static_cast<std::size_t>(fault)]; }

// It makes a run slow, excuses much, or takes the place of what matters more.
inline bool IsRare(Fault fault) {
  return fault == Fault::kSqlite || fault == Fault::kWebhook || fault == Fault::kReviews ||
         fault == Fault::kRefusedWatches || fault == Fault::kObservedHpas;
}

// Random numbers that only depend on the seed, on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  // From 0 to `below` - 1.
  std::uint64_t Below(std::uint64_t below) { return engine_() % below; }
  bool OneIn(std::uint64_t count) { return Below(count) == 0; }
  // From `from` to `to`.
  Nanoseconds Between(Nanoseconds from, Nanoseconds to) {
    return from + static_cast<Nanoseconds>(Below(static_cast<std::uint64_t>(to - from + 1)));
  }

 private:
  std::mt19937_64 engine_;
};

// Events of a run that do not happen, by kind and by number from 0: a kind is a fault, or kLoad.
using Skipped = std::map<std::string, std::set<std::uint64_t>>;
inline constexpr const char* kLoad = "load";  // a load changes

struct Swarm {
  std::set<Fault> on;
  bool extreme = false;

  bool Has(Fault fault) const { return on.contains(fault); }

  static Swarm Draw(std::uint64_t seed) {
    Dice dice(seed ^ 0x9e3779b97f4a7c15ULL);
    Swarm swarm;
    const std::uint64_t density = 1 + dice.Below(6);  // of eight
    for (std::size_t i = 0; i < static_cast<std::size_t>(Fault::kCount); ++i) {
      const auto fault = static_cast<Fault>(i);
      if (dice.Below(IsRare(fault) ? 24 : 8) < density) {
        swarm.on.insert(fault);
      }
    }
    swarm.extreme = dice.OneIn(3);
    return swarm;
  }
};

}  // namespace ballast::faults
