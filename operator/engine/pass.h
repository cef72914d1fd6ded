// A pass: one rule's turn in an evaluation, and what it works on.
//
// Passes are functions that share one of the states below and change it; passes.h lists them in
// their order. Thread-safety: a state belongs to one evaluation; what it points to outlives it.
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
#include "operator/engine/metric/metric.h"
#include "operator/engine/quirks.h"
#include "operator/engine/rate_limit.h"

namespace ballast::engine {

enum class Kinds { kAll, kPolicies };

template <typename State>
struct Pass {
  std::string_view name;  // as docs/engine.md has it
  Kinds kinds;
  void (*apply)(State&);

  bool Concerns(bool policy) const { return kinds == Kinds::kAll || policy; }
};

// Applies those that concern the autoscaler, in their order.
template <typename State>
void Apply(std::span<const Pass<State>> passes, bool policy, State& state) {
  for (const Pass<State>& pass : passes) {
    if (pass.Concerns(policy)) {
      pass.apply(state);
    }
  }
}

// Collects the steps that lead to a decision. Their texts cost more than the decision itself, so
// they are made only when tracing is on.
class Trace {
 public:
  explicit Trace(Tracing tracing) : on_(tracing == Tracing::kOn) {}

  // `make` returns a Step; it is called when tracing is on.
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

// The count on its way from the metrics to the scale.
struct Movement {
  std::string metric;           // that asks for the most
  std::int32_t raw = 0;         // what the metrics ask for
  std::int32_t stabilized = 0;  // after recent recommendations
  Limited limited;              // after bounds and rates
  std::int32_t desired = 0;     // after all
};

// A decision in the making.
struct Evaluation {
  Evaluation(const Snapshot& of, Tracing tracing, Decision& to);

  std::int32_t current() const { return decision.current_replicas; }

  // The evaluation has a problem.
  void Note(const std::string& reason, const std::string& message);
  // No count can be had: nothing moves.
  void GiveUp(const std::string& error);

  const Snapshot& snapshot;
  const api::AutoscalerSpec& spec;
  const bool policy;  // not a HorizontalPodAutoscaler
  const Quirks& quirks;
  const Settings settings;
  Decision& decision;
  Trace trace;
  Conditions conditions;
  bool counted = false;                // the count is final, or cannot be had
  bool held = false;                   // the condition Held is set
  const api::Scale* scale = nullptr;   // since the pass "scale"
  const PodList* pods = nullptr;       // since "selector"
  std::vector<MetricOutcome> metrics;  // since "metrics", one for each of spec.metrics
  Movement movement;                   // since "combination"
};

// What one of spec.metrics asks for, in the making.
struct MetricEvaluation {
  // Since "proposal".
  MetricOutcome& outcome() const { return outcomes.back(); }
  // The step that begins with the metric's name.
  Step NewStep() const;

  const Context& context;
  const std::size_t index;
  const Memory& memory;
  Trace& trace;
  std::vector<MetricOutcome>& outcomes;  // of this metric and those before it
};

// A conclusion in the making.
struct Concluding {
  const Snapshot& snapshot;
  const bool policy;
  const Settings& settings;
  const Decision& decision;  // what has not moved into the conclusion
  const Outcome& outcome;
  Conclusion& conclusion;
  Conditions conditions;
};

}  // namespace ballast::engine
