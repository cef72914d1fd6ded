// Scaling to and from zero (feature gate HPAScaleToZero).
//
// A target at zero is left alone unless the condition ScaledToZero says that the autoscaler itself
// put it there: a zero that somebody else set means "switched off".
// Thread-safety: pure functions.
#pragma once

#include <cstdint>

#include "api/autoscaling/types.h"
#include "api/decision/snapshot.h"
#include "operator/engine/conditions.h"

namespace ballast::engine {

// Whether the autoscaler put the target to zero, as far as the gate lets it know.
bool IsOwnZero(const Settings& settings, const api::AutoscalerStatus& status);

// Whether some metric (Object, External) can be measured without pods.
bool CanMeasureWithoutPods(const api::AutoscalerSpec& spec);

// Whether metrics are to be computed although there are no replicas.
bool MayWake(const Settings& settings, const api::Autoscaler& autoscaler, std::int32_t min);

// Sets ScaledToZero after a change of replicas; without the gate, removes it.
void RecordZero(const Settings& settings, const api::Autoscaler& autoscaler, std::int32_t min,
                std::int32_t from, std::int32_t to, Conditions& conditions);

}  // namespace ballast::engine
