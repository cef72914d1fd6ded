// What counts while no metric of a policy gives a value (spec.fallback).
#pragma once

#include <cstdint>
#include <optional>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

// For how long no metric may have given a value before the fallback counts: afterSeconds, or three
// periods, at least two minutes: so long the metrics of pods that have just started may take.
Duration FallbackDelay(const api::Fallback& fallback, const api::AutoscalerSpec& spec,
                       const Settings& settings);

// The count that it asks for when there are `current` replicas: lower only with allowScaleIn.
std::int32_t CountOf(const api::Fallback& fallback, std::int32_t current);

// When the fallback begins to count, if no metric gives a value until then, and what it will ask
// for; absent if a metric gave one, or if it counts already. `memory` is that after `decision`.
std::optional<Release> ComingFallback(const Snapshot& snapshot, const Settings& settings,
                                      const Decision& decision, const Memory& memory);

}  // namespace ballast::engine
