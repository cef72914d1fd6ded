// The debug page: what the operator watches, what it is working on, which writes are under way
// and which metrics APIs it waits for, for questions that metrics do not answer.
//
//   {"watches":[{"resource":"pods","state":"watching","heardSecondsAgo":3.2,"lastError":{...}},...],
//    "queue":{"waiting":[...],"inWork":[{"object":"shop/web","seconds":0.4}],"delayed":12},
//    "attempts":[{"policy":"shop/web","decision":7,"from":3,"to":5,...}],
//    "metricsApis":[{"api":"metrics.k8s.io","inWork":1,"waiting":0}]}
//
// Read-only and bounded: a list that was cut is followed by the number of items left out
// ("waitingLeftOut"). It contains object names and the API server's messages, but no tokens and no
// specs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "operator/telemetry/inside.h"

namespace ballast::server {

struct Inside {
  telemetry::SteadyTime now;
  std::vector<telemetry::WatchInside> watches;
  telemetry::QueueInside queue;
  telemetry::Shown<telemetry::AttemptInside> attempts;
  std::vector<telemetry::MetricsApiInside> metrics_apis = {};
};

// Collects the state of all parts. Must not block; called from any thread.
using LookInside = std::function<Inside()>;

// Indented JSON.
std::string Print(const Inside& inside);

}  // namespace ballast::server
