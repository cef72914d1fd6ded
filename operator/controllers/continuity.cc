#include "operator/controllers/continuity.h"

#include <algorithm>
#include <variant>

#include "operator/engine/engine.h"
#include "operator/engine/stabilization.h"

namespace ballast::controllers {
namespace {

// Whether the evaluations of the last window recommended nothing. Where there were none, they were
// only late.
bool WasSilent(const engine::Snapshot& policy) {
  if (!policy.memory || policy.memory->recommendations.empty()) {
    return false;
  }
  const Time newest =
      std::ranges::max(policy.memory->recommendations, {}, &engine::Recommendation::time).time;
  return policy.last_evaluation > newest && policy.now - newest > engine::WindowsOf(policy).down;
}

// Whether a metric gives a value that counts; what spec.fallback asks for is none.
bool HasValue(const engine::Snapshot& policy) {
  const engine::Decision decision = engine::Decide(policy, engine::Tracing::kOff);
  return decision.recommended && std::ranges::any_of(decision.proposals, [](const auto& proposal) {
           return proposal.has_value();
         });
}

}  // namespace

void Forget(Break after, engine::Memory& memory) {
  memory.no_value_since.reset();
  memory.suspect_since.reset();
  if (after >= Break::kYielded) {
    memory.recommendations.clear();
  }
  if (after >= Break::kOtherTarget) {
    memory = {};
  }
}

void SeedAfterSilence(engine::Snapshot& policy) {
  const auto* scale = std::get_if<api::Scale>(&policy.scale);
  if (scale != nullptr && WasSilent(policy) && HasValue(policy)) {
    policy.memory->recommendations.push_back({policy.now, scale->spec_replicas});
  }
}

}  // namespace ballast::controllers
