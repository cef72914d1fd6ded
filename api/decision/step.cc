#include "api/decision/step.h"

#include <algorithm>
#include <array>
#include <functional>

namespace ballast::engine {
namespace {

struct Row {
  Rule rule;
  std::string_view name;
  bool sets_count;  // whether it can be what limited the count
};

constexpr std::array kRules = {
    Row{Rule::kScale, "scale", false},
    Row{Rule::kZero, "zero", true},
    Row{Rule::kBounds, "bounds", true},
    Row{Rule::kSelector, "selector", false},
    Row{Rule::kMetric, "metric", false},
    Row{Rule::kUsedSample, "one scale-up a sample", true},
    Row{Rule::kFallback, "fallback", true},
    Row{Rule::kCombination, "combination", false},
    Row{Rule::kStabilization, "stabilization", true},
    Row{Rule::kLimits, "limits", true},
    Row{Rule::kPause, "pause", true},
    Row{Rule::kHold, "hold", true},
    Row{Rule::kEvaluation, "evaluation", true},
    Row{Rule::kDecision, "decision", false},
    Row{Rule::kOutcome, "outcome", false},
};

const Row& RowOf(Rule rule) { return kRules.at(static_cast<std::size_t>(rule)); }

static_assert(std::ranges::adjacent_find(kRules, std::greater_equal{}, &Row::rule) ==
                      kRules.end() &&
                  kRules.back().rule == Rule::kOutcome &&
                  kRules.size() == static_cast<std::size_t>(Rule::kOutcome) + 1,
              "a rule is its row's place");

std::string Count(const std::optional<std::int32_t>& count) {
  return count ? std::to_string(*count) : "";
}

}  // namespace

std::string_view NameOf(Rule rule) { return RowOf(rule).name; }

std::string NameOf(const Step& step) {
  std::string name(NameOf(step.rule));
  if (step.metric) {
    name += " " + std::to_string(step.metric->index) + " (" + step.metric->type + ")";
  }
  return name;
}

std::string InputOf(const Step& step) { return step.in ? Count(step.in) : step.given; }

std::string OutputOf(const Step& step) { return Count(step.out); }

const Step* FindStep(const std::vector<Step>& trace, Rule rule) {
  const auto found = std::ranges::find(trace, rule, &Step::rule);
  return found == trace.end() ? nullptr : &*found;
}

const Step* BindingStep(const std::vector<Step>& trace) {
  const auto found = std::find_if(trace.rbegin(), trace.rend(), [](const Step& step) {
    return step.binding && RowOf(step.rule).sets_count;
  });
  return found == trace.rend() ? nullptr : &*found;
}

}  // namespace ballast::engine
