#include "operator/engine/memory/continuity.h"

#include <algorithm>
#include <variant>

#include "api/autoscaling/condition_types.h"
#include "api/decision/memory_fields.h"
#include "operator/engine/conditions.h"
#include "operator/engine/engine.h"
#include "operator/engine/stabilization.h"

namespace ballast::engine {
namespace {

void MoveToPast(Time now, Memory& memory) {
  const auto move = [&](auto& entries) {
    for (auto& entry : entries) {
      entry.time = std::min(entry.time, now);
    }
  };
  move(memory.recommendations);
  move(memory.scale_ups);
  move(memory.scale_downs);
}

// Whether, according to the status, the policy was Disabled until now. The memory is older than
// that, and the count may have been set by hand since.
bool WasDisabled(const Snapshot& snapshot) {
  const api::Condition* held = Find(snapshot.autoscaler.status.conditions, api::kHeld);
  return held != nullptr && held->status == "True" && held->reason == api::kModeDisabled;
}

bool LostTrack(const Snapshot& snapshot) {
  return snapshot.interrupted || snapshot.clock_jumped || snapshot.silence_ended ||
         (snapshot.last_evaluation && *snapshot.last_evaluation > snapshot.now) ||
         WasDisabled(snapshot);
}

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
  for (const LastingField& field : kLastingFields) {
    (memory.*field.since).reset();
  }
  if (after >= Break::kYielded) {
    memory.recommendations.clear();
  }
  if (after >= Break::kOtherTarget) {
    memory = {};
  }
}

void Mend(const Snapshot& snapshot, Memory& memory) {
  MoveToPast(snapshot.now, memory);
  const auto* scale = std::get_if<api::Scale>(&snapshot.scale);
  if (scale != nullptr && LostTrack(snapshot)) {
    Seed(memory, snapshot.now, scale->spec_replicas);
  }
}

void Begin(const Snapshot& snapshot, Memory& memory) {
  if (const auto* scale = std::get_if<api::Scale>(&snapshot.scale)) {
    memory.target = scale->metadata.uid;
  }
  if (!snapshot.autoscaler.is_policy()) {
    Mend(snapshot, memory);
  }
}

bool EndsSilence(const Snapshot& policy) {
  return std::holds_alternative<api::Scale>(policy.scale) && WasSilent(policy) && HasValue(policy);
}

}  // namespace ballast::engine
