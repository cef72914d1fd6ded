// What all sessions have in common (session.h).
//
// Thread-safety: plain values; the functions may be called by any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/snapshot.h"
#include "operator/controllers/evaluation_metrics.h"
#include "operator/runtime/clock.h"

namespace ballast::controllers {

struct SessionOptions {
  engine::Settings settings = {};
  Duration default_period = Duration::Seconds(15);  // for policies without syncPeriodSeconds
  EvaluationMetrics metrics = {};
  // Identify the writer of the status memory: the host's name and the store's path, and the
  // leader's term.
  std::string writer = {};
  std::function<std::int64_t()> term = [] { return std::int64_t{0}; };
  // Another replica may have led before this process did: its store is not the only memory.
  bool others_lead = false;
  // How long the process stood still since then (runtime/standstill.h).
  std::function<std::chrono::nanoseconds(runtime::SteadyTime)> stood_still =
      [](runtime::SteadyTime) { return std::chrono::nanoseconds(0); };

  Duration PeriodOf(const api::Autoscaler& policy) const {
    return policy.spec.sync_period_seconds ? Duration::Seconds(*policy.spec.sync_period_seconds)
                                           : default_period;
  }
  // Between two evaluations: what was recommended in a longer one is not known.
  Duration LongestGap(const api::Autoscaler& policy) const {
    return {PeriodOf(policy).nanoseconds * 2};
  }
};

}  // namespace ballast::controllers
