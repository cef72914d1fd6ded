// `ballast.dev/takes-over: HorizontalPodAutoscaler/web` on an AutoScalePolicy: it is created while
// that HorizontalPodAutoscaler of its namespace still has the target, leaves the target alone until
// it is gone, and takes over then, once. After that the annotation says nothing any more: the
// condition TookOver remembers.
//
// Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string>

#include "api/autoscaling/types.h"

namespace ballast::api {

inline constexpr const char* kTakesOver = "ballast.dev/takes-over";  // the annotation

// The HorizontalPodAutoscaler from which the policy still is to take over; nullopt: none, it has
// done so, or the annotation names none.
std::optional<std::string> TakesOverFrom(const Autoscaler& policy);

// Whether the annotation is there and names no HorizontalPodAutoscaler.
bool TakesOverIsMalformed(const Autoscaler& policy);

}  // namespace ballast::api
