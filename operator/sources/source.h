// A metrics API, as an evaluation sees it: one answer for one of an autoscaler's metrics.
//
// What stands between an evaluation and the API (answers that are shared, failures that are
// remembered) is a MetricSource too. Thread-safety: Fetch from any thread. Errors are the API
// server's; kNotFound or kUnavailable also where the API is not installed or its adapter is down.
#pragma once

#include <cstdint>
#include <string>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/decision/snapshot.h"

namespace ballast::sources {

// One of spec.metrics, and the pods of its workload.
struct Query {
  const api::MetricSpec& metric;
  const std::string& namespace_;
  const std::string& selector;  // of the target's scale: metrics APIs know pods by it alone
  const engine::PodList& pods;  // those that count, by name
  bool owned = false;           // others may match the selector, and do not count
  std::int32_t left_out = 0;    // how many do
};

class MetricSource {
 public:
  virtual ~MetricSource() = default;
  virtual Result<engine::MetricAnswer> Fetch(const Query& query) = 0;
};

}  // namespace ballast::sources
