// Scales to and from zero (feature gate HPAScaleToZero).
//
// A target at zero stays there unless the condition ScaledToZero says that the autoscaler itself
// scaled it to zero: a zero set by somebody else means "switched off".
#pragma once

#include <cstdint>

#include "api/autoscaling/types.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "operator/engine/conditions.h"

namespace ballast::engine {

// Whether the autoscaler itself scaled the target to zero; false if the gate is off.
bool IsOwnZero(const Settings& settings, const api::AutoscalerStatus& status);

// What scaled the target to zero, so that its end wakes it: "schedule", "override"; empty: neither.
std::string ZeroBy(const api::AutoscalerStatus& status);

// Whether the spec has a metric (Object, External, Prometheus) that can be measured without pods.
bool CanMeasureWithoutPods(const api::AutoscalerSpec& spec);

// Whether to compute the metrics although there are no replicas.
bool MayWake(const Settings& settings, const api::Autoscaler& autoscaler, std::int32_t min);

// Sets the condition ScaledToZero after the decision's change of replicas; removes it if the gate
// is off. A maximum of 0 is a schedule's or an override's.
void RecordZero(const Settings& settings, const api::Autoscaler& autoscaler,
                const Decision& decision, Conditions& conditions);

// Sets it for a zero that the autoscaler set and its status does not tell of. The snapshot's
// schedules need not be resolved.
void ClaimZero(Snapshot& snapshot);

}  // namespace ballast::engine
