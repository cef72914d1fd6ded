// The debug page: what the operator watches, what it works on and which writes are under way, for
// people with a question that metrics do not answer.
//
//   {"watches":[{"resource":"pods","state":"watching","heardSecondsAgo":3.2,"lastError":{...}},...],
//    "queue":{"waiting":[...],"inWork":[{"object":"shop/web","seconds":0.4}],"delayed":12},
//    "attempts":[{"policy":"shop/web","decision":7,"from":3,"to":5,...}]}
//
// Read-only and bounded: a list that is cut is followed by how many are left out
// ("waitingLeftOut"). It has names of objects and what the API server said, but no token and
// nothing of a spec. Thread-safety: a pure function.
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
};

// Looks at all parts. Must not block; called from any thread.
using LookInside = std::function<Inside()>;

// As JSON, indented.
std::string Print(const Inside& inside);

}  // namespace ballast::server
