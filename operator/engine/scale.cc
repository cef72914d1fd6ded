// Reads the target's scale; without it nothing is decided.
#include <algorithm>
#include <string>

#include "api/autoscaling/condition_types.h"
#include "operator/engine/memory/continuity.h"
#include "operator/engine/passes.h"
#include "operator/engine/words.h"

namespace ballast::engine {
namespace {

// Null, with the reason in `error`, if the scale is not known.
const api::Scale* FindScale(const Snapshot& snapshot, std::string& error) {
  const std::string& api_version = snapshot.autoscaler.spec.scale_target_ref.api_version;
  if (std::count(api_version.begin(), api_version.end(), '/') > 1) {
    error = "unexpected GroupVersion string: " + api_version;
  } else if (const auto* failure = std::get_if<Failure>(&snapshot.scale)) {
    error = failure->message;
  } else {
    return &std::get<api::Scale>(snapshot.scale);
  }
  return nullptr;
}

Step Describe(const api::Scale& scale, const Bounds& bounds) {
  return {.rule = Rule::kScale,
          .given = Replicas(scale.spec_replicas) + " wanted, " +
                   Count(scale.status_replicas, "pod") + " present",
          .out = scale.spec_replicas,
          .text = "The target has " + Replicas(scale.spec_replicas) + "; the bounds are " +
                  std::to_string(bounds.min) + " to " + std::to_string(bounds.max) + "."};
}

}  // namespace

void ReadScale(DecideState& evaluation) {
  Decision& decision = evaluation.decision;
  std::string error;
  evaluation.scale = FindScale(evaluation.snapshot, error);
  if (evaluation.scale == nullptr) {
    decision.events.push_back({"Warning", api::kFailedGetScale, error});
    evaluation.Note(api::kFailedGetScale,
                    "the HPA controller was unable to get the target's current scale: " + error);
    evaluation.conditions.False(api::kAbleToScale, api::kFailedGetScale, decision.problem->message);
    evaluation.counted = true;
    return;
  }
  decision.current_replicas = evaluation.scale->spec_replicas;
  decision.target_replicas = decision.current_replicas;
  evaluation.trace.Add([&] { return Describe(*evaluation.scale, decision.bounds); });
  evaluation.conditions.True(api::kAbleToScale, api::kSucceededGetScale,
                             "the HPA controller was able to get the target's current scale");
  if (evaluation.quirks.drops_observed_generation) {
    decision.status.observed_generation.reset();
  } else {
    decision.status.observed_generation = evaluation.snapshot.autoscaler.metadata.generation;
  }
  decision.status.current_replicas = decision.current_replicas;
  decision.status.current_metrics.clear();
}

// Without recommendations, upstream remembers the present count as one.
void SeedMemory(DecideState& evaluation) {
  Memory& memory = evaluation.decision.memory;
  if (memory.recommendations.empty()) {
    Seed(memory, evaluation.snapshot.now, evaluation.current());
  }
}

}  // namespace ballast::engine
