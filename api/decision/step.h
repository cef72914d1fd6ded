// Step: what one rule did on the way to a decision, for the reader who asks why. A list of steps is
// the trace of `ballast decide`, the ledger and `why`.
//
// Compare rules as values; their names are for people and for JSON only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballast::engine {

// In the order in which the rules apply.
enum class Rule {
  kScale,          // the target's present count
  kSchedule,       // bounds that spec.schedules set
  kZero,           // the target is at zero, and the autoscaler did not scale it there
  kBounds,         // the present count is outside of the bounds
  kSelector,       // more pods are selected than the target has
  kMetric,         // the count that one of spec.metrics asks for
  kUsedSample,     // one sample justifies one scale-up
  kFallback,       // what counts while no metric gives a value
  kCombination,    // the count that all metrics together ask for
  kStabilization,  // recent recommendations
  kLimits,         // rates and bounds
  kPause,          // somebody paused scaling
  kHold,           // a decided count that is not to be written for now
  kEvaluation,     // no count can be computed
  kDecision,       // the action decided
  kOutcome,        // the outcome of the write
};

// Which of the limits a count met.
enum class LimitKind { kMinimum, kMaximum, kScaleUpRate, kScaleDownRate };

// The rule's name as printed: "stabilization". A metric's step has a longer one (NameOf below).
std::string_view NameOf(Rule rule);

struct Step {
  // One of spec.metrics.
  struct Metric {
    std::size_t index = 0;
    std::string type;
  };

  Rule rule = Rule::kScale;
  std::optional<Metric> metric;     // kMetric
  std::string given;                // the input, if it is not a count
  std::optional<std::int32_t> in;   // the input, if it is a count
  std::optional<std::int32_t> out;  // the resulting count
  bool binding = false;             // the rule changed the result
  std::optional<LimitKind> limit;   // kLimits: the one that changed it
  bool kept = false;                // kStabilization: by what has ended lately
  std::string text;                 // one sentence that someone on call understands
};

// "stabilization", "metric 0 (Resource)".
std::string NameOf(const Step& step);
// Input and output as JSON and people see them; empty if there is none.
std::string InputOf(const Step& step);
std::string OutputOf(const Step& step);

// The first step of that rule; null if there is none.
const Step* FindStep(const std::vector<Step>& trace, Rule rule);

// The step of the rule that set the count: that moved it away from the one that the metrics ask
// for, or kept it from being computed. The last one if there are several; null if the count is the
// metrics' own.
const Step* BindingStep(const std::vector<Step>& trace);

}  // namespace ballast::engine
