#include "operator/explain/explanation.h"

#include <utility>

#include "operator/engine/effective.h"
#include "operator/engine/engine.h"
#include "operator/engine/metric/samples.h"
#include "operator/engine/policy/suspect_source.h"
#include "operator/engine/stabilization.h"
#include "operator/engine/timetable.h"
#include "operator/engine/words.h"
#include "operator/explain/metric_words.h"
#include "operator/explain/recorded_decision.h"

namespace ballast::explain {
namespace {

using engine::Rule;
using engine::Step;

// The sentence about pods that do not count in full, without its dot.
std::string PodsIn(const std::string& text) {
  const std::size_t words = text.find(engine::kCountedInFull);
  if (words == std::string::npos) {
    return "";
  }
  const std::size_t begin = text.rfind(". ", words) + 2;
  return text.substr(begin, text.find('.', words) - begin);
}

std::vector<MetricView> ViewMetrics(const engine::Snapshot& snapshot,
                                    const engine::Decision& decision) {
  std::vector<MetricView> views;
  for (const Step& step : decision.trace) {
    if (!step.metric) {
      continue;
    }
    const std::size_t i = step.metric->index;
    const api::MetricSpec& spec = snapshot.autoscaler.spec.metrics[i];
    MetricView view{.name = NameOf(step),
                    .what = NameOf(spec),
                    .target = FigureOfTarget(spec),
                    .text = step.text,
                    .proposal = step.out};
    if (!step.out) {
      view.problem = step.text.substr(engine::kUnusable.size());
    } else if (const auto& values = decision.status.current_metrics; i < values.size()) {
      view.value = Figure(values[i].current);
      view.pods = PodsIn(step.text);
    }
    if (i < snapshot.metrics.size()) {
      if (const auto newest = engine::NewestTimestamp(snapshot.metrics[i])) {
        view.age = snapshot.now - *newest;
      }
    }
    views.push_back(std::move(view));
  }
  return views;
}

Duration Window(const engine::Snapshot& snapshot, bool up) {
  const auto windows = engine::WindowsOf(snapshot);
  return up ? windows.up : windows.down;
}

Obstacle::Kind KindOf(engine::LimitKind limit, const api::AutoscalerSpec& spec) {
  using enum Obstacle::Kind;
  if (limit == engine::LimitKind::kMaximum) {
    return kMaxReplicas;
  }
  if (limit == engine::LimitKind::kMinimum) {
    return kMinReplicas;
  }
  if (!spec.behavior) {
    return kDoubling;
  }
  const auto& rules = limit == engine::LimitKind::kScaleUpRate ? spec.behavior->scale_up
                                                               : spec.behavior->scale_down;
  return rules && rules->select_policy == "Disabled" ? kDirectionDisabled : kRate;
}

std::optional<Obstacle> FindObstacle(const engine::Snapshot& snapshot,
                                     const engine::Decision& decision, const Step& step) {
  Obstacle obstacle{.rule = step.rule,
                    .proposed = step.in.value_or(0),
                    .allowed = step.out.value_or(0),
                    .text = step.text};
  obstacle.up = obstacle.allowed < obstacle.proposed;
  if (step.rule == Rule::kUsedSample) {
    obstacle.kind = Obstacle::Kind::kUsedSample;
    return obstacle;
  }
  if (step.rule != Rule::kStabilization && step.rule != Rule::kLimits) {
    return obstacle;
  }
  if (const Step* all = engine::FindStep(decision.trace, Rule::kCombination)) {
    obstacle.proposed = all->out.value_or(obstacle.proposed);
  }
  if (obstacle.proposed == obstacle.allowed) {
    return std::nullopt;
  }
  // A limit that cut what a window had held is not what keeps the count from the metrics'.
  const bool up = obstacle.allowed < obstacle.proposed;
  if (step.rule == Rule::kStabilization || up != obstacle.up) {
    obstacle.rule = Rule::kStabilization;
    const Step* const window = engine::FindStep(decision.trace, Rule::kStabilization);
    const bool kept = !up && window != nullptr && window->kept;
    obstacle.kind = kept ? Obstacle::Kind::kKept : Obstacle::Kind::kWindow;
    obstacle.up = up;
    obstacle.window = Window(snapshot, up);
  } else {
    obstacle.kind = KindOf(step.limit.value(), snapshot.autoscaler.spec);
  }
  return obstacle;
}

std::optional<engine::ScheduleWindow> CopyOf(const engine::ScheduleWindow* window) {
  return window == nullptr ? std::nullopt : std::optional(*window);
}

}  // namespace

bool IsBoundBy(const Explanation& why, Rule rule) {
  return why.obstacle && why.obstacle->rule == rule;
}

Result<Explanation> Explain(const std::string& snapshot, const store::Entry& entry) {
  ASSIGN_OR_RETURN(engine::Snapshot parsed, ParseRecorded(entry, snapshot));
  return Explain(std::move(parsed), entry);
}

Explanation Explain(engine::Snapshot snapshot, const store::Entry& entry) {
  Explanation made{.snapshot = std::move(snapshot)};
  made.decision = engine::Decide(made.snapshot);
  made.metrics = ViewMetrics(made.snapshot, made.decision);
  const engine::ScheduledBounds scheduled = engine::ScheduledBoundsOf(made.snapshot);
  if (const Step* binding = engine::BindingStep(made.decision.trace)) {
    made.obstacle = FindObstacle(made.snapshot, made.decision, *binding);
  }
  made.pauses = engine::EffectivePauses(made.snapshot);
  made.floor = CopyOf(scheduled.floor);
  made.ceiling = CopyOf(scheduled.ceiling);
  made.held_by = CopyOf(scheduled.held_by);
  made.suspect_until = engine::SuspectUntil(made.snapshot);
  if (IsBoundBy(made, Rule::kStabilization) || IsBoundBy(made, Rule::kLimits) ||
      IsBoundBy(made, Rule::kZero) || IsBoundBy(made, Rule::kPause) ||
      IsBoundBy(made, Rule::kHold) || IsBoundBy(made, Rule::kEvaluation)) {
    made.release = engine::Conclude(made.snapshot, made.decision, OutcomeOf(entry)).release;
  }
  made.alternatives = FindAlternatives(made.snapshot, made.decision);
  return made;
}

}  // namespace ballast::explain
