// The annotation `ballast.dev/takes-over: HorizontalPodAutoscaler/web` on an AutoScalePolicy. It
// lets a policy be created while that HorizontalPodAutoscaler of its namespace still scales the
// target. The policy leaves the target alone until the HorizontalPodAutoscaler is deleted and then
// takes over, once. From then on the condition TookOver records that, and the annotation has no
// effect.
#pragma once

#include <optional>
#include <string>

#include "api/autoscaling/types.h"

namespace ballast::api {

inline constexpr const char* kTakesOver = "ballast.dev/takes-over";  // the annotation

// The HorizontalPodAutoscaler that the policy is still to take over from; nullopt if the annotation
// names none or the policy has taken over already.
std::optional<std::string> TakesOverFrom(const Autoscaler& policy);

// Whether the annotation is present but names no HorizontalPodAutoscaler.
bool TakesOverIsMalformed(const Autoscaler& policy);

}  // namespace ballast::api
