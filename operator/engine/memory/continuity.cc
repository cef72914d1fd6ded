#include "operator/engine/memory/continuity.h"

#include <algorithm>
#include <variant>

#include "operator/engine/engine.h"
#include "operator/engine/stabilization.h"

namespace ballast::engine {
namespace {

// Whether the evaluations of the last window recommended nothing. Where there were none, they were
// only late.
bool WasSilent(const Snapshot& policy) {
  if (!policy.memory || policy.memory->recommendations.empty()) {
    return false;
  }
  const Time newest =
      std::ranges::max(policy.memory->recommendations, {}, &Recommendation::time).time;
  return policy.last_evaluation > newest && policy.now - newest > WindowsOf(policy).down;
}

// Whether a metric gives a value that counts; what spec.fallback asks for is none.
bool HasValue(const Snapshot& policy) {
  const Decision decision = Decide(policy, Tracing::kOff);
  return decision.recommended && std::ranges::any_of(decision.proposals, [](const auto& proposal) {
           return proposal.has_value();
         });
}

}  // namespace

void Forget(Break after, Memory& memory) {
  memory.no_value_since.reset();
  memory.suspect_since.reset();
  if (after >= Break::kYielded) {
    memory.recommendations.clear();
  }
  if (after >= Break::kOtherTarget) {
    memory = {};
  }
}

void SeedAfterSilence(Snapshot& policy) {
  const auto* scale = std::get_if<api::Scale>(&policy.scale);
  if (scale != nullptr && WasSilent(policy) && HasValue(policy)) {
    policy.memory->recommendations.push_back({policy.now, scale->spec_replicas});
  }
}

}  // namespace ballast::engine
