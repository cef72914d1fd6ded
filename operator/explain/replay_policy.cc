#include "operator/explain/replay_policy.h"

#include <algorithm>
#include <utility>

#include "operator/engine/engine.h"
#include "operator/engine/metric/metric.h"
#include "operator/explain/recorded_decision.h"

namespace ballast::explain {

Result<engine::Decision> ChangedPolicy::Decide(const store::Entry& entry,
                                               const store::Documents& documents) {
  ASSIGN_OR_RETURN(engine::Snapshot snapshot, ParseRecorded(entry, documents.snapshot));
  snapshot.metrics = AnswersFor(snapshot);
  snapshot.autoscaler.kind = policy_.kind;
  snapshot.autoscaler.spec = policy_.spec;
  if (recommendations_) {
    snapshot.memory = snapshot.memory.value_or(engine::Memory());
    snapshot.memory->recommendations = *recommendations_;
  }
  engine::Decision decision = engine::Decide(snapshot);
  recommendations_ = decision.memory.recommendations;
  if (const engine::Step* proposed =
          engine::FindStep(decision.trace, engine::Rule::kStabilization)) {
    for (engine::Recommendation& recommendation : *recommendations_) {
      if (recommendation.time == snapshot.now && recommendation.replicas == proposed->in) {
        recommendation.time = entry.until;  // Each evaluation of the run recommended it again.
      }
    }
  }
  return decision;
}

// The recorded answers in the order of the changed policy's metrics.
std::vector<engine::MetricAnswer> ChangedPolicy::AnswersFor(const engine::Snapshot& recorded) {
  const auto& measured = recorded.autoscaler.spec.metrics;
  std::vector<engine::MetricAnswer> answers;
  for (const api::MetricSpec& metric : policy_.spec.metrics) {
    const std::string identity = engine::IdentityOf(metric);
    const auto found = std::ranges::find_if(measured, [&](const api::MetricSpec& other) {
      return engine::IdentityOf(other) == identity;
    });
    const auto index = static_cast<std::size_t>(found - measured.begin());
    if (index < recorded.metrics.size()) {
      answers.push_back(recorded.metrics[index]);
      continue;
    }
    answers.emplace_back(engine::Failure{"it was not measured then"});
    if (std::ranges::find(unmeasured_, identity) == unmeasured_.end()) {
      unmeasured_.push_back(identity);
    }
  }
  return answers;
}

}  // namespace ballast::explain
