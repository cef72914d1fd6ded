#include "operator/cli/ledger/why_words.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/override.h"
#include "operator/engine/conditions.h"
#include "operator/engine/policy/suspect_source.h"
#include "operator/engine/stabilization.h"
#include "operator/engine/timetable.h"
#include "operator/engine/words.h"
#include "operator/explain/recorded_decision.h"

namespace ballast::cli {
namespace {

using engine::Rule;
using explain::Explanation;
using explain::MetricView;
using explain::Obstacle;

// Exact: "14 s", "5 min", "1 h 30 min".
std::string InWords(Duration span) {
  constexpr std::array<std::pair<std::int64_t, const char*>, 3> kUnits{
      {{3600, " h"}, {60, " min"}, {1, " s"}}};
  std::int64_t left = span.nanoseconds / 1'000'000'000;
  std::string text;
  for (const auto& [seconds, unit] : kUnits) {
    if (left >= seconds) {
      text += (text.empty() ? "" : " ") + std::to_string(left / seconds) + unit;
      left %= seconds;
    }
  }
  return text.empty() ? "0 s" : text;
}

const char* MetricsWord(const Explanation& why) {
  return why.metrics.size() == 1 ? "its metric" : "its metrics";
}

// Whether spec.fallback took the metrics' place.
bool FallsBack(const Explanation& why) {
  const engine::Step* step = engine::FindStep(why.decision.trace, Rule::kFallback);
  return step != nullptr && step->binding;
}

// "its metric asks for 25", "3 would be enough by its metric"
std::string Request(const Explanation& why, const Obstacle& obstacle) {
  const std::string count = std::to_string(obstacle.proposed);
  if (FallsBack(why)) {
    return "its fallback, which counts while no metric gives a value, asks for " + count;
  }
  return obstacle.up
             ? MetricsWord(why) + (" ask" + std::string(why.metrics.size() == 1 ? "s" : "")) +
                   " for " + count
             : count + " would be enough by " + MetricsWord(why);
}

// "the schedule night (Europe/Berlin)", "the override web-floor-x7k2p of alice"
std::string Called(const engine::ScheduleWindow& window) {
  if (!window.origin) {
    return "the schedule " + window.name + " (" + window.time_zone + ")";
  }
  const std::string& owner = window.origin->owner;
  return "the override " + window.name + " of " + (owner.empty() ? api::kUnknownOwner : owner);
}

// " until 18:00:00 UTC", or how else its end is known; of an override with its reason.
std::string UntilEnd(const engine::ScheduleWindow& window, Zone zone, Time near) {
  const std::string why = window.origin ? " (" + window.origin->reason + ")" : "";
  return window.end ? " until " + PrintNamed(zone, *window.end, near) + why
                    : " for as long as its time zone " + window.time_zone + " is not known";
}

std::string DescribePin(const Explanation& why, const engine::ScheduleWindow& pin, Zone zone) {
  return Called(pin) + " pins its replicas to " + std::to_string(why.decision.bounds.min) +
         UntilEnd(pin, zone, why.snapshot.now);
}

// "the schedule night (Europe/Berlin) sets its maximum to 2 until 05:00:00 UTC"; empty: no schedule
// does.
std::string DescribeMaximum(const Explanation& why, Zone zone) {
  const engine::Bounds& bounds = why.decision.bounds;
  if (why.ceiling && why.ceiling->pin) {
    return DescribePin(why, *why.ceiling, zone);
  }
  if (!why.ceiling || (why.floor && bounds.min == bounds.max)) {
    return "";
  }
  return Called(*why.ceiling) + " sets its maximum to " + std::to_string(bounds.max) +
         (bounds.max > *why.ceiling->max_replicas
              ? ", on the way to " + std::to_string(*why.ceiling->max_replicas) + ","
              : "") +
         UntilEnd(*why.ceiling, zone, why.snapshot.now);
}

std::string DescribeMinimum(const Explanation& why, Zone zone) {
  if (!why.floor) {
    return "";
  }
  if (why.floor->pin) {
    return DescribePin(why, *why.floor, zone);
  }
  const Time now = why.snapshot.now;
  const std::string text =
      Called(*why.floor) + " sets its minimum to " + std::to_string(why.decision.bounds.min);
  return now < why.floor->start
             ? text + ", on the way to " + std::to_string(*why.floor->min_replicas) + " by " +
                   PrintNamed(zone, why.floor->start, now)
             : text + UntilEnd(*why.floor, zone, now);
}

// What the bound is if it is no schedule's: "its maximum is 20".
std::string OrElse(const std::string& schedule, const char* bound, std::int32_t count) {
  return schedule.empty() ? bound + std::to_string(count) : schedule;
}

// What kept the request from becoming the count: "its maximum is 20".
std::string Limit(const Explanation& why, const Obstacle& obstacle, Zone zone) {
  const std::string allowed = std::to_string(obstacle.allowed);
  const std::string which = obstacle.up ? "out" : "in";
  switch (obstacle.kind) {
    using enum Obstacle::Kind;
    case kWindow:
      return "it keeps " + allowed + " until " +
             (obstacle.up ? "more have been needed for " : "fewer have been enough for ") +
             InWords(obstacle.window);
    case kKept:
      return "it keeps " + allowed + ", since " +
             (why.held_by ? Called(*why.held_by) : engine::WhoHeld({}, why.snapshot.autoscaler)) +
             " ended within the last " + InWords(obstacle.window);
    case kMaxReplicas:
      return OrElse(DescribeMaximum(why, zone), "its maximum is ", why.decision.bounds.max);
    case kMinReplicas:
      return OrElse(DescribeMinimum(why, zone), "its minimum is ", why.decision.bounds.min);
    case kDoubling:
      return "one step leads at most to twice as many, or to 4: that is " + allowed;
    case kDirectionDisabled:
      return "scaling " + which + " is switched off for it";
    case kRate:
      return "it may not scale " + which + " faster: to " + allowed +
             (obstacle.up ? " at most" : " at least");
    case kUsedSample:
      return "that comes from a measurement for which it has scaled out already, so it waits for a "
             "newer one";
    case kOther:
      break;
  }
  return "";
}

// "alice paused scaling in until 13:00:00 UTC: black friday"
std::string Describe(const api::Pause& pause, Zone zone, Time near) {
  const std::string what = pause.in && pause.out ? "scaling"
                           : pause.in            ? "scaling in"
                                                 : "scaling out";
  return (pause.by.empty() ? what + " is paused" : pause.by + " paused " + what) + " until " +
         (pause.open_end.empty() ? PrintNamed(zone, pause.until, near) : pause.open_end) +
         (pause.reason.empty() ? "" : ": " + pause.reason);
}

std::string Suspicion(const Explanation& why, Zone zone) {
  return why.snapshot.suspect_source->name +
         " turned to zero, or lost most of its pods, for several policies at once, and may be "
         "broken, so that nothing is scaled in because of it until " +
         PrintNamed(zone, *why.suspect_until, why.snapshot.now) +
         ", unless it recovers or somebody trusts it";
}

std::string DescribeHold(const Explanation& why, Zone zone) {
  const engine::Snapshot& snapshot = why.snapshot;
  if (const auto& write = snapshot.unsettled_write) {
    return "it is not known yet whether the change from " + std::to_string(write->from) + " to " +
           engine::Replicas(write->to) + ", decided at " +
           PrintNamed(zone, write->time, snapshot.now) +
           ", was written, and nothing else is written until it is";
  }
  const api::Condition* held = engine::Find(why.decision.status.conditions, api::kHeld);
  if (why.suspect_until && held != nullptr && held->reason == engine::kSourceSuspect) {
    return Suspicion(why, zone);
  }
  return "there has been no news of its pods for " +
         InWords(snapshot.pods_age.value_or(Duration{})) +
         ", and nothing is scaled in until there is";
}

// ": schedule "night" with a maximum of 0 is over", if that woke the target.
std::string AfterSchedule(const Explanation& why) {
  const std::string& reason = why.decision.rescale_reason;
  return reason.starts_with(engine::kBySchedule) ? ": " + reason : "";
}

// What moved a count into the bounds: "25 are more than its maximum of 20".
std::string DescribeBounds(const Explanation& why, Zone zone) {
  const std::int32_t count = why.decision.current_replicas;
  const engine::Bounds& bounds = why.decision.bounds;
  const bool above = count > bounds.max;
  const std::string schedule = above ? DescribeMaximum(why, zone) : DescribeMinimum(why, zone);
  return std::to_string(count) + (count == 1 ? " is " : " are ") +
         (above ? "more than its maximum of " : "fewer than its minimum of ") +
         std::to_string(above ? bounds.max : bounds.min) +
         (schedule.empty() ? AfterSchedule(why) : ", since " + schedule);
}

std::string DescribeFallback(const Explanation& why, std::int32_t count, Zone zone) {
  const Time now = why.snapshot.now;
  return "no metric has given a value since " +
         PrintNamed(zone, why.decision.memory.no_value_since.value_or(now), now) +
         ", so that its fallback counts, which asks for " + std::to_string(count);
}

// The obstacles that have words of their own.
std::string DescribeOther(const Explanation& why, const Obstacle& obstacle, Zone zone) {
  const std::string held = "it would be scaled to " + std::to_string(obstacle.proposed) + ", but ";
  switch (obstacle.rule) {
    case Rule::kBounds:
      return DescribeBounds(why, zone);
    case Rule::kFallback:
      return DescribeFallback(why, obstacle.allowed, zone);
    case Rule::kPause: {
      const auto pause = std::ranges::find_if(why.pauses, [&](const api::Pause& one) {
        return one.Holds(obstacle.allowed, obstacle.proposed);
      });
      return pause == why.pauses.end() ? obstacle.text
                                       : held + Describe(*pause, zone, why.snapshot.now);
    }
    case Rule::kHold:
      return held + DescribeHold(why, zone);
    case Rule::kZero:
      return why.ceiling && why.decision.bounds.max == 0
                 ? DescribeMaximum(why, zone)
                 : "something other than its autoscaler scaled it to zero, so autoscaling is off "
                   "until "
                   "it is scaled up";
    default:
      return obstacle.text;
  }
}

// What kept the metrics' proposal from becoming the count. Empty: nothing.
std::string DescribeObstacle(const Explanation& why, Zone zone) {
  if (!why.obstacle) {
    return "";
  }
  const Obstacle& obstacle = *why.obstacle;
  if (obstacle.kind == Obstacle::Kind::kOther) {
    return Clause(DescribeOther(why, obstacle, zone));
  }
  std::string text = Request(why, obstacle) + ", but " + Limit(why, obstacle, zone);
  if (!why.release) {
    return text;
  }
  const Time now = why.snapshot.now;
  if (why.suspect_until == why.release->at) {
    return text + ", and " + Suspicion(why, zone);
  }
  const Duration held = obstacle.up ? Duration{} : engine::WindowsOf(why.snapshot).down;
  for (const api::Pause& pause : why.pauses) {
    if (pause.until + held == why.release->at) {
      return text + ", and " + Describe(pause, zone, now);
    }
  }
  if (obstacle.kind == Obstacle::Kind::kMaxReplicas ||
      obstacle.kind == Obstacle::Kind::kMinReplicas) {
    return text;  // the schedule whose bound it is ends when the text says
  }
  const std::string at = PrintNamed(zone, why.release->at, now);
  return text + (obstacle.kind == Obstacle::Kind::kWindow ? ", which is not before " : ", until ") +
         at;
}

// What is wrong with a metric, without the names of fields and of values that are none.
std::string DescribeProblem(const std::string& problem) {
  constexpr std::array<std::pair<std::string_view, const char*>, 3> kNames{{
      {" of staleAfterSeconds", " that the installation allows"},
      {" of maxSampleAgeSeconds", " that its autoscaler allows"},
      {"the query's value is NaN", "its result is not a number, as when zero is divided by zero"},
  }};
  std::string text = Clause(problem);
  for (const auto& [name, words] : kNames) {
    if (text.ends_with(name)) {
      text.replace(text.size() - name.size(), name.size(), words);
    }
  }
  return text;
}

// "cpu was at 20%, its target is 60%", for each of those metrics.
std::string DescribeMetrics(const std::vector<const MetricView*>& metrics) {
  std::string text;
  for (const MetricView* metric : metrics) {
    text += text.empty() ? "" : "; ";
    text += metric->problem.empty()
                ? metric->what + " was at " + metric->value +
                      (metric->pods.empty() ? "" : " (" + metric->pods + ")") + ", its target is " +
                      metric->target
                : metric->what + " could not be used: " + DescribeProblem(metric->problem);
  }
  return text;
}

std::vector<const MetricView*> All(const Explanation& why) {
  std::vector<const MetricView*> all;
  for (const MetricView& metric : why.metrics) {
    all.push_back(&metric);
  }
  return all;
}

// The metric whose count won, or for a lower count all, since none may ask for more.
std::string BlameMetrics(const Explanation& why) {
  const auto raw = why.decision.recommended;
  const auto winner = std::ranges::find(why.metrics, raw, &MetricView::proposal);
  return raw > why.decision.current_replicas && winner != why.metrics.end()
             ? DescribeMetrics({&*winner})
             : DescribeMetrics(All(why));
}

// Whether the metrics alone would have moved the count in the direction in which it went.
bool MetricsAskedForIt(const Explanation& why) {
  const auto toward = [&](std::int32_t count) {
    return (count > why.decision.current_replicas) - (count < why.decision.current_replicas);
  };
  return why.decision.recommended && !FallsBack(why) &&
         toward(*why.decision.recommended) == toward(explain::Wish(why.decision));
}

// Why the count stayed although nothing kept it from changing.
std::string Content(const Explanation& why) {
  const bool tolerated =
      std::ranges::any_of(why.alternatives, [](const explain::Alternative& alternative) {
        return alternative.change == explain::AlteredInput::kNoTolerance;
      });
  const bool one = why.metrics.size() == 1;
  std::string text = MetricsWord(why);
  text += tolerated
              ? (one ? " is close enough to its target" : " are close enough to their targets")
              : (one ? " asks for just as many" : " ask for just as many");
  return text + (why.metrics.empty() ? "" : ": " + DescribeMetrics(All(why)));
}

// What the recorded messages of decisions to change the replicas mean; some begin with a metric.
constexpr std::array<std::pair<std::string_view, const char*>, 6> kMessages{{
    {"above target", "a metric was above its target"},
    {"All metrics below target", "all metrics were below their targets"},
    {"(scale-down stabilization)", "more were needed shortly before"},
    {"(scale-up stabilization)", "fewer were enough shortly before"},
    {engine::kAboveMaximum, "it had more than its maximum"},
    {engine::kBelowMinimum, "it had fewer than its minimum"},
}};

// What the recorded reasons of decisions that change nothing mean.
constexpr std::array<std::pair<std::string_view, const char*>, 13> kReasons{{
    {api::kReadyForNewScale, "as many were asked for"},
    {api::kDesiredWithinRange, "as many were asked for"},
    {"ScaleDownStabilized", "more were needed shortly before, and it waits before it scales in"},
    {"ScaleUpStabilized", "fewer were enough shortly before, and it waits before it scales out"},
    {api::kTooManyReplicas, "more were asked for than its maximum"},
    {api::kTooFewReplicas, "fewer were asked for than its minimum"},
    {api::kScaleUpLimit, "it may not scale out faster"},
    {"ScaleDownLimit", "it may not scale in faster"},
    {api::kModeDisabled, "its autoscaler is switched off, so nothing is evaluated"},
    {api::kPaused, "scaling is paused"},
    {api::kInvalidSpec, "what its autoscaler asks for is not valid, so nothing is evaluated"},
    {api::kConflicted, "another autoscaler has the same target, so this one does nothing"},
    {"DryRun", "its autoscaler only tells what it would do"},
}};

}  // namespace

std::string Clause(std::string text) {
  if (text.ends_with('.')) {
    text.pop_back();
  }
  return text;
}

std::string WhyChange(const Explanation& why, Zone zone) {
  const std::string obstacle = DescribeObstacle(why, zone);
  if (!MetricsAskedForIt(why) || IsBoundBy(why, Rule::kBounds) || IsBoundBy(why, Rule::kFallback)) {
    return obstacle.empty() ? WhyChange(why.decision.rescale_reason) : obstacle;
  }
  return BlameMetrics(why) + (obstacle.empty() ? "" : " (" + obstacle + ")");
}

std::string WhyChange(const std::string& message) {
  if (message.starts_with(engine::kBySchedule) || message.starts_with(engine::kByOverride)) {
    return message;
  }
  const auto found = std::ranges::find_if(
      kMessages, [&](const auto& known) { return message.ends_with(known.first); });
  return found == kMessages.end() ? "the decision below has the reason" : found->second;
}

std::string WhyStay(const Explanation& why, Zone zone) {
  const std::string obstacle = DescribeObstacle(why, zone);
  const auto& problem = why.decision.problem;
  if (!problem || (!obstacle.empty() && !IsBoundBy(why, Rule::kEvaluation))) {
    return obstacle.empty() ? Content(why) : obstacle;
  }
  std::string text = std::string("how many it needs could not be computed") +
                     (why.release ? ": " : ", and then nothing is changed: ") +
                     (why.metrics.empty() ? Clause(problem->message) : DescribeMetrics(All(why)));
  if (why.release) {
    text += "; unless a metric gives a value until then, its fallback leads to " +
            std::to_string(why.release->replicas) + " at " +
            PrintNamed(zone, why.release->at, why.snapshot.now);
  }
  return text;
}

std::string WhyStay(const std::string& reason, const std::string& message) {
  const auto found = std::ranges::find(kReasons, reason, &decltype(kReasons)::value_type::first);
  return found == kReasons.end() ? Clause(message) : found->second;
}

}  // namespace ballast::cli
