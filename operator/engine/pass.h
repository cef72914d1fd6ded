// A pass: the part of one rule in an evaluation, and the state that it reads and changes.
//
// Passes are functions of one of the states below; passes.h lists them in order.
//
// Thread-safety: a state belongs to one evaluation; the objects that it refers to outlive it.
// Errors: none; a problem becomes a part of the decision (Note, GiveUp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "operator/engine/conditions.h"
#include "operator/engine/limited.h"
#include "operator/engine/metric/metric.h"
#include "operator/engine/quirks.h"
#include "operator/engine/scheduled_bounds.h"

namespace ballast::engine {

enum class Kinds { kAll, kPolicies };

template <typename State>
struct Pass {
  std::string_view name;  // as in docs/engine.md
  Kinds kinds;
  void (*apply)(State&);

  bool Concerns(bool policy) const { return kinds == Kinds::kAll || policy; }
};

// Applies the passes that concern the kind of autoscaler, in order.
template <typename State>
void Apply(std::span<const Pass<State>> passes, bool policy, State& state) {
  for (const Pass<State>& pass : passes) {
    if (pass.Concerns(policy)) {
      pass.apply(state);
    }
  }
}

// Collects the steps that lead to a decision. Their texts cost more than the decision, so they are
// made only if tracing is on.
class Trace {
 public:
  explicit Trace(Tracing tracing) : on_(tracing == Tracing::kOn) {}

  bool on() const { return on_; }

  // `make` returns a Step; it is called only if tracing is on.
  template <typename Make>
  void Add(Make make) {
    if (on_) {
      steps_.push_back(make());
    }
  }
  std::vector<Step> Take() { return std::move(steps_); }

 private:
  bool on_;
  std::vector<Step> steps_;
};

// The count after each of the passes from the metrics to the scale.
struct Movement {
  std::string metric;           // the one with the highest proposal
  std::string fallback;         // why spec.fallback takes the metrics' place; empty: it does not
  std::int32_t raw = 0;         // the count that the metrics ask for
  std::int32_t asked = 0;       // the same before the pass "one scale-up a sample"
  std::int32_t stabilized = 0;  // after "stabilization"
  Limited limited;              // after "limits"
  std::int32_t desired = 0;     // after all passes
};

// The state of the passes that make a decision.
struct DecideState {
  DecideState(const Snapshot& of, Tracing tracing, Decision& to);

  std::int32_t current() const { return decision.current_replicas; }

  // Sets the decision's problem.
  void Note(const std::string& reason, const std::string& message);
  // Ends the counting: no count can be computed, and the replicas stay.
  void GiveUp(const std::string& error);
  // Ends the counting with a bound. `schedule`: the reason, if it is a schedule's; else empty.
  void MoveTo(std::int32_t bound, const std::string& schedule);
  // Nothing is written, whatever was decided.
  void KeepReplicas();
  // Which schedule sets the maximum (`above`) or the minimum: "schedule "night" sets a maximum of 2
  // until 2026-03-05T05:00:00Z". Empty: none.
  std::string BlameSchedule(bool above) const;

  const Snapshot& snapshot;
  const api::AutoscalerSpec& spec;
  const bool policy;  // not a HorizontalPodAutoscaler
  const Quirks& quirks;
  const Settings settings;
  const ScheduledBounds scheduled;  // decision.bounds, and whose they are
  Decision& decision;
  Trace trace;
  Conditions conditions;
  bool counted = false;                // the count is final, or cannot be computed
  bool held = false;                   // the condition Held is True
  const api::Scale* scale = nullptr;   // set by the pass "scale"
  const PodList* pods = nullptr;       // set by "selector": those that count
  PodList without_ended;               // what `pods` points to if some have ended
  std::vector<MetricOutcome> metrics;  // set by "metrics", one for each of spec.metrics
  Movement movement;                   // set by "fallback" and later passes
};

// The state of the passes for one of spec.metrics.
struct MetricState {
  // Set by "proposal".
  MetricOutcome& outcome() const { return outcomes.back(); }
  // A step of this metric (Rule::kMetric), still without input, output and text.
  Step NewStep() const;

  const Context& context;
  const std::size_t index;
  const Memory& memory;
  Trace& trace;
  std::vector<MetricOutcome>& outcomes;  // of this metric and those before it
};

// The state of the passes that make a conclusion.
struct ConcludeState {
  const Snapshot& snapshot;
  const bool policy;
  const Settings& settings;
  const Decision& decision;  // status, events, memory and trace have moved into `conclusion`
  const Outcome& outcome;
  Conclusion& conclusion;
  Conditions conditions;
};

}  // namespace ballast::engine
