// Why there were, at some moment, as many replicas as there were: the recorded decision, run again
// for its trace, and what of it set the count. Values, to be put into words by whoever shows them.
//
// Thread-safety: pure functions. Failure modes: kCorrupt when a recorded snapshot cannot be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "api/decision/step.h"
#include "operator/explain/counterfactuals.h"
#include "store/reader.h"

namespace ballast::explain {

// What one metric said.
struct MetricView {
  std::string name;                      // the trace's name of it: "metric 0 (Resource)"
  std::string text;                      // its value against its target, and what it asks for
  std::optional<std::int32_t> proposal;  // absent: it could not be used
  std::optional<Duration> age;           // of its newest sample; absent: it has no timestamp
};

// What stood between the count that the metrics ask for and the one that came out.
struct Obstacle {
  enum class Kind {
    kWindow,  // a stabilization window, `window` long
    kMaxReplicas,
    kMinReplicas,
    kDoubling,           // no behavior: one step at most doubles the count
    kDirectionDisabled,  // behavior.*.selectPolicy is Disabled
    kRate,               // behavior.*.policies
    kUsedSample,         // one sample justifies one scale-up
    kOther,              // `text` says it
  };
  engine::Rule rule = {};  // which is in the way
  Kind kind = Kind::kOther;
  bool up = false;            // it is in the way of more replicas, else of fewer
  std::int32_t proposed = 0;  // what the metrics ask for
  std::int32_t allowed = 0;   // what came out
  Duration window;            // kWindow
  std::string text;           // the rule's own sentence
};

// A decision with everything that led to it.
struct Explanation {
  engine::Snapshot snapshot;
  engine::Decision decision;
  std::vector<MetricView> metrics;
  std::optional<Obstacle> obstacle;  // the rule that set the count; absent: the metrics did
  std::optional<engine::Release> release;
  std::vector<Alternative> alternatives;
};

// Whether `rule` set the count.
bool IsBoundBy(const Explanation& why, engine::Rule rule);

// Runs the recorded snapshot again. `entry`: what was recorded of it.
Result<Explanation> Explain(const std::string& snapshot, const store::Entry& entry);

}  // namespace ballast::explain
