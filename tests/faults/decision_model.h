// What the rules of docs/engine.md make of a snapshot, by an arithmetic of the model's own: one
// that is written down once more, from the rules, for what autoscalers of this world are like.
#pragma once

#include <cstdint>
#include <optional>

#include "api/decision/snapshot.h"

namespace ballast::faults {

// That the target is to have. Nullopt: the model has no rule for it, as where a schedule or a
// suspect source counts.
std::optional<std::int64_t> ReplicasByRules(const engine::Snapshot& snapshot);

}  // namespace ballast::faults
