// The interface of a metrics API: one answer for one of an autoscaler's metrics.
//
// What is put between an evaluation and the API (answers shared between callers, failures
// remembered) implements MetricSource too.
//
// Thread-safety: any thread.
// Errors: the API server's; kNotFound or kUnavailable also when the API is not installed or its
// adapter is down. kInvalid: the metric's selector is not valid, or the answer cannot be read
// (kCorrupt from the resource metrics API).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/base/time.h"
#include "api/decision/snapshot.h"
#include "operator/process/clock.h"

namespace ballast::sources {

// A request to a metrics API ends within this.
inline constexpr std::chrono::seconds kDeadline{10};

// Answers are shared for a whole period if it is no longer than this, since samples age.
inline constexpr std::chrono::seconds kLongestShared{60};

// How many autoscalers are evaluated together and may share an answer.
inline constexpr std::size_t kEvaluatedTogether = 200;

// Which answers to another's request serve a caller.
struct Freshness {
  std::chrono::nanoseconds max_age;
  // Of whoever asks once in each period, or 0: an answer to another with the same period serves
  // too, for so long, if it came after the caller's last ones.
  std::chrono::nanoseconds period = {};
  std::optional<process::SteadyTime> last = std::nullopt;
};

// One of spec.metrics, and its target.
struct Query {
  const api::MetricSpec& metric;
  const std::string& namespace_;
  const std::string& selector;  // of the target's scale; metrics APIs select pods by it alone
  // That the target has or is to have. 0: resource metrics are not asked for.
  std::int32_t replicas = 0;
  Duration period = Duration::Seconds(15);  // of the autoscaler's evaluations
  std::string_view target = {};             // the name of what is scaled
  // When the answers of the autoscaler's last evaluation were there; empty: unknown.
  std::optional<process::SteadyTime> last = std::nullopt;

  // A tenth of the period old at most, and at most 1 s; if the metric does not say how old its
  // samples may be, also an answer of this period that the autoscaler has not had.
  Freshness freshness() const {
    const std::chrono::nanoseconds once(period.nanoseconds);
    const bool shared = once <= kLongestShared && !metric.max_sample_age_seconds;
    return {max_age(), shared ? once : std::chrono::nanoseconds(), last};
  }
  std::chrono::nanoseconds max_age() const {
    return std::min<std::chrono::nanoseconds>(std::chrono::nanoseconds(period.nanoseconds) / 10,
                                              std::chrono::seconds(1));
  }
};

// The pods of the target when the answer is used.
struct TargetPods {
  const engine::PodList& pods;  // by name
  bool owned = false;           // spec.podSelection Owned: other pods may match the selector
  std::int32_t left_out = 0;    // how many of those there are
};

// What an API has answered to a query: what of it is about those pods.
using PodsAnswer = std::function<Result<engine::MetricAnswer>(const TargetPods& pods)>;

// One that is the same for all pods.
inline PodsAnswer ForAll(Result<engine::MetricAnswer> answer) {
  return [answer = std::move(answer)](const TargetPods&) { return answer; };
}

class MetricSource {
 public:
  using Done = std::function<void(PodsAnswer)>;

  virtual ~MetricSource() = default;
  // Asks for the answer. `done` is called once: at once if it is there, else from another thread,
  // maybe before this returns. The query and what it refers to may end when this returns.
  virtual void Start(const Query& query, const Done& done) = 0;
};

// Waits for the answer.
Result<engine::MetricAnswer> Await(MetricSource& source, const Query& query,
                                   const TargetPods& pods);

}  // namespace ballast::sources
