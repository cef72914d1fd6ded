// The steps of a decision: which rule made what of which count, for the person who asks why.
//
// The trace of `ballast decide`, the ledger and `why` is a list of these. Rules are compared as
// values; their names are for people and for JSON alone. Thread-safety: plain values, pure
// functions. They cannot fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballast::engine {

// In the order in which they have their say.
enum class Rule {
  kScale,          // what the target has
  kZero,           // at zero, and not by the autoscaler
  kBounds,         // outside the bounds
  kMetric,         // what one of spec.metrics asks for
  kUsedSample,     // one sample justifies one scale-up
  kCombination,    // of all metrics
  kStabilization,  // recent recommendations
  kLimits,         // rates and bounds
  kHold,           // decided, and not to be written for now
  kEvaluation,     // no count can be had
  kDecision,       // what is to be done
  kOutcome,        // what became of it
};

// As it is printed: "stabilization". A metric's step has more to its name (NameOf below).
std::string_view NameOf(Rule rule);

struct Step {
  // One of spec.metrics.
  struct Metric {
    std::size_t index = 0;
    std::string type;
  };

  Rule rule = Rule::kScale;
  std::optional<Metric> metric;     // kMetric
  std::string given;                // what came in, where that is no count
  std::optional<std::int32_t> in;   // the count that came in
  std::optional<std::int32_t> out;  // the count that came out
  bool binding = false;             // the rule changed the result
  std::string text;                 // one sentence in words that someone on call understands
};

// "stabilization", "metric 0 (Resource)".
std::string NameOf(const Step& step);
// What came in and what came out, as JSON and people have it; empty: nothing.
std::string InputOf(const Step& step);
std::string OutputOf(const Step& step);

// The first step of that rule; null without one.
const Step* FindStep(const std::vector<Step>& trace, Rule rule);

// The step of the rule that set the count: that moved it away from what the metrics ask for, or
// kept it from being had; the last one if there are several; null: what the metrics ask for is
// done.
const Step* BindingStep(const std::vector<Step>& trace);

}  // namespace ballast::engine
