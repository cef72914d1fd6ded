#include "operator/cli/why_answer.h"

#include "api/autoscaling/condition_types.h"

#include <algorithm>

namespace ballast::cli {
namespace {

using explain::Explanation;
using explain::Obstacle;
using store::Entry;
using store::Fate;

std::string Replicas(std::int32_t count) {
  return std::to_string(count) + (count == 1 ? " replica" : " replicas");
}

// A sentence of the trace, for use within another sentence.
std::string Clause(std::string text) {
  if (text.ends_with('.')) {
    text.pop_back();
  }
  return text;
}

// "the scale-down window of 5m0s holds 17"
std::string Describe(const Obstacle& obstacle, const engine::Bounds& bounds) {
  const std::string allowed = std::to_string(obstacle.allowed);
  const std::string direction = obstacle.up ? "up" : "down";
  switch (obstacle.kind) {
    using enum Obstacle::Kind;
    case kWindow:
      return "the scale-" + direction + " window of " + Print(obstacle.window) +
             (obstacle.up ? " allows only " : " holds ") + allowed;
    case kMaxReplicas:
      return "maxReplicas is " + std::to_string(bounds.max);
    case kMinReplicas:
      return "minReplicas is " + std::to_string(bounds.min);
    case kDoubling:
      return "one step leads at most to twice as many replicas, or 4: " + allowed;
    case kDirectionDisabled:
      return std::string("behavior.") + (obstacle.up ? "scaleUp" : "scaleDown") +
             ".selectPolicy is Disabled";
    case kRate:
      return "the rate of scale-" + direction + " allows " + allowed;
    case kUsedSample:
      return "from a sample that has already justified a scale-up: a newer one is waited for";
    case kOther:
      break;
  }
  return "";
}

// What kept the metrics' proposal from becoming the count: "14 were proposed, but ...". Empty:
// nothing.
std::string DescribeObstacle(const Explanation& why, Zone zone) {
  if (!why.obstacle) {
    return "";
  }
  const Obstacle& obstacle = *why.obstacle;
  std::string text = Clause(obstacle.text);
  if (obstacle.kind != Obstacle::Kind::kOther) {
    text = std::to_string(obstacle.proposed) +
           (obstacle.proposed == 1 ? " was proposed, but " : " were proposed, but ") +
           Describe(obstacle, why.decision.bounds);
  }
  const bool says_when =
      IsBoundBy(why, engine::Rule::kPause) || IsBoundBy(why, engine::Rule::kHold);
  if (!why.release || says_when) {
    return text;
  }
  if (why.suspect_until == why.release->at) {
    return text + ", and " + why.snapshot.suspect_source->name +
           " turned to zero, or lost most of its pods, for several policies at once, so that "
           "nothing is scaled in because of it until " +
           PrintNear(zone, why.release->at, why.snapshot.now);
  }
  const bool awaits_pause = why.pause && why.pause->until == why.release->at;
  return awaits_pause ? text + ", and " + Print(*why.pause)
                      : text + " until " + PrintNear(zone, why.release->at, why.snapshot.now);
}

// Why the count stayed although nothing kept it from changing.
std::string Content(const Explanation& why) {
  const bool tolerated =
      std::ranges::any_of(why.alternatives, [](const explain::Alternative& alternative) {
        return alternative.change == explain::Change::kNoTolerance;
      });
  std::string text = tolerated ? "the metrics are within the tolerance of their targets"
                               : "the metrics ask for just as many";
  for (const explain::MetricView& metric : why.metrics) {
    text += (&metric == &why.metrics.front() ? ": " : "; ") + Clause(metric.text);
  }
  return text;
}

// Why the replicas changed.
std::string Cause(const Entry& entry, const Explanation* why, Zone zone) {
  if (why == nullptr) {
    return entry.message;
  }
  const std::string& reason = why->decision.rescale_reason;
  const std::string obstacle = DescribeObstacle(*why, zone);
  return obstacle.empty() || IsBoundBy(*why, engine::Rule::kBounds) ||
                 IsBoundBy(*why, engine::Rule::kFallback)
             ? reason
             : reason + " (" + obstacle + ")";
}

std::string Stay(const Entry& entry, const Explanation* why, Zone zone) {
  if (entry.reason == api::kModeDisabled) {
    return "spec.mode is Disabled, so nothing is evaluated";
  }
  if (why == nullptr) {
    return entry.reason + (entry.message.empty() ? "" : ": " + entry.message);
  }
  const std::string obstacle = DescribeObstacle(*why, zone);
  if (why->decision.problem && (obstacle.empty() || IsBoundBy(*why, engine::Rule::kEvaluation))) {
    std::string text = "no replica count could be computed: " + why->decision.problem->message;
    if (why->release) {
      text += "; unless a metric gives a value until then, spec.fallback leads to " +
              std::to_string(why->release->replicas) + " at " +
              PrintNear(zone, why->release->at, why->snapshot.now);
    }
    return text;
  }
  return obstacle.empty() ? Content(*why) : obstacle;
}

// An HPA that another controller scales: what that one asked for, and what Ballast would have.
std::string AnswerForShadow(const Entry& entry, const Explanation* why, Zone zone) {
  const std::string ours = std::to_string(entry.desired_replicas);
  std::string text = entry.subject.key.Print() + " had " + Replicas(entry.current_replicas) +
                     "; in its controller's place, Ballast would have ";
  text += entry.changes() ? "scaled it to " + ours + ": " + Cause(entry, why, zone)
                          : "left it there: " + Clause(Stay(entry, why, zone));
  if (why == nullptr) {
    return text + ".";
  }
  const std::int32_t theirs = why->snapshot.autoscaler.status.desired_replicas;
  return text + ". Its controller asked for " +
         (theirs == entry.desired_replicas ? "the same." : std::to_string(theirs) + ".");
}

// "spec.maxReplicas was changed from 10 to 20 (kubectl, 14:02:10)"
std::string Describe(const store::Edit& edit, Zone zone) {
  const std::string& before = edit.before;
  const std::string& after = edit.after;
  std::string text = edit.field;
  if (before.empty() && after.empty()) {
    text += edit.field == store::kWholeSpec ? " was edited while this operator did not watch it"
                                            : " were edited";
  } else if (before.empty()) {
    text += " was set to " + after;
  } else if (after.empty()) {
    text += " was removed (it was " + before + ")";
  } else {
    text += " was changed from " + before + " to " + after;
  }
  return text + " (" + (edit.manager.empty() ? "" : edit.manager + ", ") +
         PrintNear(zone, edit.managed.value_or(edit.time), edit.time) + ")";
}

}  // namespace

std::string DescribeEdits(const std::vector<store::EditEntry>& edits, Zone zone) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(edits.size(), kMost); ++i) {
    text += (text.empty() ? "Before it, " : "; ") + Describe(edits[i].edit, zone);
  }
  return text + (edits.size() > kMost ? "; and more." : ".");
}

std::string Answer(const Entry& entry, const Explanation* why, Zone zone) {
  const std::string who = entry.subject.key.Print();
  const std::string from = std::to_string(entry.current_replicas);
  const std::string to = std::to_string(entry.desired_replicas);
  const std::string cause = Cause(entry, why, zone);
  switch (entry.fate) {
    case Fate::kWritten:
      return who + " was scaled from " + from + " to " + to + ": " + cause + ".";
    case Fate::kFailed:
      return who + " stayed at " + from + ": it was to be scaled to " + to +
             ", but the write failed: " + Clause(entry.error) + ".";
    case Fate::kIntended:
      return who + " was about to be scaled from " + from + " to " + to + " (" + cause +
             "); how that ended is not recorded.";
    case Fate::kUnknown:
      return who + " was to be scaled from " + from + " to " + to +
             ", and whether that was written is not known: " + Clause(entry.error) + ".";
    case Fate::kDryRun:
      if (entry.subject.kind == api::kHpaKind) {
        return AnswerForShadow(entry, why, zone);
      }
      if (entry.changes()) {
        return who + " stayed at " + from +
               ": spec.mode is DryRun, else it would have been scaled to " + to + ": " + cause +
               ".";
      }
      break;
    case Fate::kObserved:
      return who + " was scaled from " + from + " to " + to +
             " by its own controller: " + Clause(entry.message) + ".";
    case Fate::kNone:
      break;
  }
  return who + " stayed at " + Replicas(entry.current_replicas) + ": " +
         Clause(Stay(entry, why, zone)) + ".";
}

}  // namespace ballast::cli
