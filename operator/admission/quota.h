// How many pods like the present ones fit into a ResourceQuota.
//
// Thread-safety: pure function.
#pragma once

#include <optional>

#include "api/json.h"
#include "api/workload.h"
#include "webhooks/lookup.h"

namespace ballast::admission {

// The tightest limit of one ResourceQuota object: on the number of pods, or on their requests when
// there is a pod to tell what one asks for (`pod` may be null). What other workloads use is not
// counted. nullopt: it limits neither, or only some pods (scopes).
std::optional<webhooks::Facts::Quota> RoomIn(const json::Cursor& quota, const api::Pod* pod);

}  // namespace ballast::admission
