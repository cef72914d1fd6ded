// How many pods like a target's present ones fit into a ResourceQuota beside the namespace's other
// usage.
#pragma once

#include <optional>

#include "api/decision/snapshot.h"
#include "api/json/json.h"
#include "webhooks/lookup.h"

namespace ballast::admission {

// The tightest limit of one ResourceQuota: on the number of pods, or on their cpu or memory
// requests if the target's `pods` show what one requests (the largest counts). Other usage is
// status.used less what these pods use. nullopt: the quota limits none of these, or only some pods
// (scopes).
std::optional<webhooks::Facts::Quota> RoomIn(const json::Cursor& quota,
                                             const engine::PodList& pods);

}  // namespace ballast::admission
