// Snapshot: everything that one evaluation of one autoscaler knows; the engine's only input.
//
// The reconciler gathers it from the cluster, the ledger records it, `ballast decide` reads it; its
// JSON form is snapshot_json.h. Pods and pod metrics are shared with the caches they come from and
// never change.
//
// Errors: none; a request that failed is a Failure in its place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/boxed.h"
#include "api/base/time.h"
#include "api/decision/memory.h"
#include "api/decision/schedule_window.h"
#include "api/kubernetes/metrics_apis.h"
#include "api/kubernetes/workload.h"

namespace ballast::engine {

// The minor versions of Kubernetes 1 whose rules and messages for HPAs are known. A server that is
// older or newer has those of the nearest.
inline constexpr int kOldestHpaRules = 36;
inline constexpr int kNewestHpaRules = 37;
constexpr int HpaRulesOf(int minor) { return std::clamp(minor, kOldestHpaRules, kNewestHpaRules); }

// The controller flags of upstream that affect decisions.
struct Settings {
  double tolerance = 0.1;
  Duration cpu_initialization_period = Duration::Seconds(300);
  Duration initial_readiness_delay = Duration::Seconds(30);
  Duration downscale_stabilization = Duration::Seconds(300);
  bool scale_to_zero = true;           // feature gate HPAScaleToZero
  bool configurable_tolerance = true;  // feature gate HPAConfigurableTolerance
  // HPAs only: the version of Kubernetes whose rules and messages count.
  int kubernetes_minor = kOldestHpaRules;

  // Policies only: a metric whose newest sample is older than this counts as failed.
  Duration stale_after = Duration::Seconds(300);
  // Policies only: nothing is scaled in while the watch of the pods has been silent for longer.
  Duration max_view_age = Duration::Seconds(120);
  // Policies only: a suspect source keeps a policy from scaling in for at most so long; 0: never.
  Duration suspect_hold = Duration::Seconds(900);
  // Policies only: the period of those without spec.syncPeriodSeconds.
  Duration sync_period = Duration::Seconds(15);
};

// A request that failed.
struct Failure {
  std::string message;
};

// Another autoscaler in the namespace, and the selector of its target.
struct Rival {
  std::string name;
  std::string selector;
};

using PodList = std::vector<std::shared_ptr<const api::Pod>>;
using PodMetricsList = std::vector<std::shared_ptr<const api::PodMetrics>>;
using MetricValueList = std::vector<api::MetricValue>;

// The metrics API's response for spec.metrics[i].
using MetricAnswer = std::variant<Failure, PodMetricsList, MetricValueList>;

// A write of the scale that was sent and whose outcome is not known yet.
struct UnsettledWrite {
  Time time;  // when its evaluation was made
  std::int32_t from = 0;
  std::int32_t to = 0;
};

// A source of metrics that turned to zero, or lost most of its pods, for several policies at once,
// of which this is one.
struct SuspectSource {
  std::string name;  // "external.metrics.k8s.io"
  Time since;        // when that was first seen of this policy
};

// Another client that undoes again and again what the operator scales, and its last change.
struct Opponent {
  std::string manager;  // empty: not known
  std::int32_t from = 0;
  std::int32_t to = 0;
};

// Why the history of decisions is in trouble: a condition's reason and message.
struct LedgerTrouble {
  std::string reason;
  std::string message;
};

struct Snapshot {
  std::string id;
  Time now;
  Settings settings;
  api::Autoscaler autoscaler;
  std::variant<Failure, api::Scale> scale;
  std::variant<Failure, PodList> pods;
  std::vector<Rival> rivals;
  std::vector<MetricAnswer> metrics;
  std::optional<std::string> scale_update_error;
  std::optional<std::string> series;
  std::optional<Memory> memory;

  // Policies only. How many pods the selector matches that `pods` leaves out because the target
  // does not own them (spec.podSelection Owned).
  std::int32_t pods_left_out = 0;
  // Policies only. When this policy was last evaluated; absent at its first evaluation. Mode
  // Disabled makes no evaluations and so does not change it.
  std::optional<Time> last_evaluation;
  // How long the watch of the pods has been silent, without an event or a bookmark, in whole
  // seconds; absent if that is not known.
  std::optional<Duration> pods_age;
  // The autoscaler is evaluated right behind new samples of metrics.k8s.io, which come so far
  // apart; absent: by the clock. No decision depends on it.
  std::optional<Duration> samples_every;
  // Policies only. The wall clock and the steady clock disagree about the time since the last
  // evaluation.
  bool clock_jumped = false;
  // Policies only. Since the last evaluation there was a gap that is too long, or evaluations by
  // another process whose memory is not known. An evaluation that is merely late or slow does not
  // count.
  bool interrupted = false;
  // Policies only. A metric gives a value, and evaluations of the whole scale-down window before
  // had none.
  bool silence_ended = false;
  // Policies only. Nothing else is written until this write is settled.
  std::optional<UnsettledWrite> unsettled_write;
  // Policies only. Nothing is scaled in for a while.
  std::optional<SuspectSource> suspect_source;
  // Policies only. The HorizontalPodAutoscaler that is gone, and whose target the policy scales
  // from now on.
  std::optional<std::string> takes_over_from;
  // Policies only.
  std::optional<Opponent> opponent;
  // Policies only.
  std::optional<LedgerTrouble> ledger_trouble;
  // Policies only. Absent without spec.schedules.
  Boxed<ResolvedSchedules> schedules;
  // When the autoscaler's overrides count, or have counted: of one type no two count at once. Not
  // of HPAs that another controller scales.
  std::vector<ScheduleWindow> overrides;
};

}  // namespace ballast::engine
