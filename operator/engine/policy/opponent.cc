#include "operator/engine/policy/opponent.h"

#include "operator/engine/passes.h"

namespace ballast::engine {

std::string Describe(const Opponent& opponent) {
  return (opponent.manager.empty() ? "another client" : opponent.manager) +
         " keeps undoing what this autoscaler does, last from " + std::to_string(opponent.from) +
         " to " + std::to_string(opponent.to) +
         " replicas: leave spec.replicas out of what it applies, or pause or delete the autoscaler";
}

// A policy that is evaluated is in no other conflict any more.
void ReportOpponent(DecideState& evaluation) {
  if (const auto& opponent = evaluation.snapshot.opponent) {
    evaluation.conditions.True(api::kConflicted, api::kTugOfWar, Describe(*opponent));
  } else {
    evaluation.conditions.Remove(api::kConflicted);
  }
}

}  // namespace ballast::engine
