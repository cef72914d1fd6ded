// The debug page: what the operator watches, what it is working on and which metrics APIs it waits
// for, by name and at this moment, which metrics, log and ledger do not tell.
//
//   {"watches":[{"resource":"pods","state":"watching","heardSecondsAgo":3.2,"lastError":{...}},...],
//    "queue":{"waiting":[...],"inWork":[{"object":"asp/shop/web",...}],"delayed":12},
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
  std::vector<telemetry::MetricsApiDebugState> metrics_apis = {};
};

// Collects the state of all parts. Must not block; called from any thread.
using CollectDebugState = std::function<DebugState()>;

// Indented JSON.
std::string Print(const DebugState& debug_state);

}  // namespace ballast::server
