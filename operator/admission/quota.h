// How many pods like the present ones fit into a ResourceQuota beside what else is in the
// namespace.
//
// Thread-safety: pure function.
#pragma once

#include <optional>

#include "api/decision/snapshot.h"
#include "api/json/json.h"
#include "webhooks/lookup.h"

namespace ballast::admission {

// The tightest limit of one ResourceQuota object: on the number of pods, or on their requests when
// there are `pods` of the target to tell what one asks for (of several, the largest). What the
// cluster has counted as used, less what these pods use, is others'. nullopt: it limits neither, or
// only some pods (scopes).
std::optional<webhooks::Facts::Quota> RoomIn(const json::Cursor& quota,
                                             const engine::PodList& pods);

}  // namespace ballast::admission
