#include "api/decision/step.h"

#include <algorithm>
#include <array>
#include <functional>

namespace ballast::engine {
namespace {

struct RuleRow {
  Rule rule;
  std::string_view name;
  bool sets_count;  // whether it can be what limited the count
};

constexpr std::array kRules = {
    RuleRow{Rule::kScale, "scale", false},
    RuleRow{Rule::kSchedule, "schedules", false},
    RuleRow{Rule::kZero, "zero", true},
    RuleRow{Rule::kBounds, "bounds", true},
    RuleRow{Rule::kSelector, "selector", false},
    RuleRow{Rule::kMetric, "metric", false},
    RuleRow{Rule::kUsedSample, "one scale-up a sample", true},
    RuleRow{Rule::kFallback, "fallback", true},
    RuleRow{Rule::kCombination, "combination", false},
    RuleRow{Rule::kStabilization, "stabilization", true},
    RuleRow{Rule::kLimits, "limits", true},
    RuleRow{Rule::kPause, "pause", true},
    RuleRow{Rule::kHold, "hold", true},
    RuleRow{Rule::kEvaluation, "evaluation", true},
    RuleRow{Rule::kDecision, "decision", false},
    RuleRow{Rule::kOutcome, "outcome", false},
};

const RuleRow& RowOf(Rule rule) { return kRules.at(static_cast<std::size_t>(rule)); }

static_assert(std::ranges::adjacent_find(kRules, std::greater_equal{}, &RuleRow::rule) ==
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
