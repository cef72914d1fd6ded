// What all sessions (session.h) share, as the period of each autoscaler.
//
// Thread-safety: plain values; any thread may call the functions.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "api/autoscaling/mode.h"
#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/snapshot.h"
#include "operator/process/clock.h"
#include "operator/session/evaluation_metrics.h"
#include "operator/session/leadership.h"

namespace ballast::session {

// How often an observed HPA's metric values are recorded; whatever else changes, at once.
inline constexpr Duration kObservationPeriod = Duration::Seconds(120);

struct SessionOptions {
  // For policies without a scale-down window of their own.
  Duration downscale_stabilization = engine::Settings().downscale_stabilization;
  // How long a watch may be silent before autoscalers that depend on it are not evaluated.
  Duration max_view_age = engine::Settings().max_view_age;
  Duration default_period = Duration::Seconds(15);  // for policies without syncPeriodSeconds
  const api::ServingMode* hpa_mode = &api::kHpaModes.front();  // for HPAs without the annotation
  EvaluationMetrics metrics = {};
  // The writer of the status memory, as host name and store path.
  std::string writer = {};
  // Whether another replica may have led: then this process's store may lack evaluations.
  bool others_lead = false;
  const Leadership* leadership = &kWithoutElection;  // never null
  // Whether the process is stopping: an evaluation that has read its inputs then ends without a
  // decision.
  std::function<bool()> stopping = [] { return false; };
  // The longest stall of the process since then (process/stall_detector.h).
  std::function<std::chrono::nanoseconds(process::SteadyTime)> longest_stall =
      [](process::SteadyTime) { return std::chrono::nanoseconds(0); };

  const api::ServingMode& ModeOf(const api::Autoscaler& autoscaler) const {
    return autoscaler.is_policy() ? api::ModeOf(autoscaler.spec)
                                  : api::HpaModeOf(autoscaler, *hpa_mode);
  }
  Duration PeriodOf(const api::Autoscaler& autoscaler) const {
    if (!autoscaler.is_policy()) {
      return ModeOf(autoscaler).evaluates ? default_period : kObservationPeriod;
    }
    return autoscaler.spec.sync_period_seconds
               ? Duration::Seconds(*autoscaler.spec.sync_period_seconds)
               : default_period;
  }
};

}  // namespace ballast::session
