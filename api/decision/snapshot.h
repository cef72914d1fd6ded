// Snapshot: everything that one reconcile of one autoscaler knows; the one input of the engine.
//
// The controller gathers it live, the ledger keeps it, `ballast decide` reads it. Its JSON form is
// snapshot_json.h. Pods and pod metrics are shared with the caches they come from and never
// changed. Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/memory.h"
#include "api/kubernetes/metrics_apis.h"
#include "api/kubernetes/workload.h"

namespace ballast::engine {

// Upstream's controller flags, as far as they decide anything.
struct Settings {
  double tolerance = 0.1;
  Duration cpu_initialization_period = Duration::Seconds(300);
  Duration initial_readiness_delay = Duration::Seconds(30);
  Duration downscale_stabilization = Duration::Seconds(300);
  bool scale_to_zero = true;           // feature gate HPAScaleToZero
  bool configurable_tolerance = true;  // feature gate HPAConfigurableTolerance

  // Policies only: a metric whose newest sample is older than this has failed.
  Duration stale_after = Duration::Seconds(300);
  // Policies only: while nothing was heard of the pods for longer, nothing is scaled in.
  Duration max_view_age = Duration::Seconds(120);
};

// Something that was asked for and could not be had.
struct Failure {
  std::string message;
};

// Another autoscaler of the namespace and the selector of its target.
struct Rival {
  std::string name;
  std::string selector;
};

using PodList = std::vector<std::shared_ptr<const api::Pod>>;
using PodMetricsList = std::vector<std::shared_ptr<const api::PodMetrics>>;
using MetricValueList = std::vector<api::MetricValue>;

// The metrics API's answer for spec.metrics[i].
using MetricAnswer = std::variant<Failure, PodMetricsList, MetricValueList>;

// A write of the scale that was sent and of which nobody knows yet whether it arrives.
struct UnsettledWrite {
  Time time;  // of its evaluation
  std::int32_t from = 0;
  std::int32_t to = 0;
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

  // Policies only. How many pods the selector matches that are not among `pods` because the target
  // does not own them (spec.podSelection Owned).
  std::int32_t pods_left_out = 0;
  // Policies only. When this policy was evaluated last; absent at its first evaluation. While the
  // mode is Disabled nothing is evaluated, so that this stays what it was.
  std::optional<Time> last_evaluation;
  // For how long nothing was heard of the pods, neither an event nor a bookmark, in whole seconds;
  // absent where nobody knows.
  std::optional<Duration> pods_age;
  // Policies only. Wall and steady clock disagree about the time since then.
  bool clock_jumped = false;
  // Policies only. Since then nobody evaluated it for too long, or somebody did whose memory is not
  // known. An evaluation that is merely late, or slow, interrupts nothing.
  bool interrupted = false;
  // Policies only. Until it is settled nothing else is written.
  std::optional<UnsettledWrite> unsettled_write;
};

}  // namespace ballast::engine
