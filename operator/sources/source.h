// The interface of a metrics API: one answer for one of an autoscaler's metrics.
//
// What is put between an evaluation and the API (answers shared between callers, failures
// remembered) implements MetricSource too.
//
// Thread-safety: Fetch from any thread.
// Errors: the API server's; kNotFound or kUnavailable also when the API is not installed or its
// adapter is down. kInvalid: the metric's selector is not valid, or the answer cannot be read
// (kCorrupt from the resource metrics API).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/base/time.h"
#include "api/decision/snapshot.h"

namespace ballast::sources {

// How many autoscalers are evaluated together and may share an answer.
inline constexpr std::size_t kEvaluatedTogether = 200;

// One of spec.metrics, and the pods of the target.
struct Query {
  const api::MetricSpec& metric;
  const std::string& namespace_;
  const std::string& selector;  // of the target's scale; metrics APIs select pods by it alone
  const engine::PodList& pods;  // the target's, by name
  bool owned = false;           // spec.podSelection Owned: other pods may match the selector
  std::int32_t left_out = 0;    // how many of those there are
  Duration period = Duration::Seconds(15);  // of the autoscaler's evaluations

  // How old another query's answer may be to serve this one: a tenth of the period, at most 1 s.
  std::chrono::nanoseconds max_age() const {
    return std::min<std::chrono::nanoseconds>(std::chrono::nanoseconds(period.nanoseconds) / 10,
                                              std::chrono::seconds(1));
  }
};

class MetricSource {
 public:
  virtual ~MetricSource() = default;
  virtual Result<engine::MetricAnswer> Fetch(const Query& query) = 0;
};

}  // namespace ballast::sources
