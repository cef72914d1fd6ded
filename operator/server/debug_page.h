// The debug page: what the operator watches, what it is working on, which writes are under way
// and which metrics APIs it waits for, for questions that metrics do not answer.
//
//   {"watches":[{"resource":"pods","state":"watching","heardSecondsAgo":3.2,"lastError":{...}},...],
//    "queue":{"waiting":[...],"inWork":[{"object":"AutoScalePolicy shop/web",...}],"delayed":12},
//    "attempts":[{"autoscaler":"hpa/shop/web","decision":7,"from":3,"to":5,...}],
//    "metricsApis":[{"api":"metrics.k8s.io","inWork":1,"waiting":0}]}
//
// Read-only and bounded: a list that was cut is followed by the number of items left out
// ("waitingLeftOut"). It contains object names and the API server's messages, but no tokens and no
// specs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "operator/telemetry/debug_state.h"

namespace ballast::server {

struct DebugState {
  telemetry::SteadyTime now;
  std::vector<telemetry::WatchDebugState> watches;
  telemetry::QueueDebugState queue;
  telemetry::Shown<telemetry::AttemptDebugState> attempts;
  std::vector<telemetry::MetricsApiDebugState> metrics_apis = {};
};

// Collects the state of all parts. Must not block; called from any thread.
using CollectDebugState = std::function<DebugState()>;

// Indented JSON.
std::string Print(const DebugState& debug_state);

}  // namespace ballast::server
