// Validation of spec.schedules of a policy.
#pragma once

#include <cstddef>
#include <string>

#include "api/autoscaling/recurrence.h"
#include "api/autoscaling/types.h"
#include "api/kubernetes/field_error.h"

namespace ballast::api {

inline constexpr std::size_t kMostSchedules = 64;

inline std::string SchedulePath(std::size_t index) {
  return "spec.schedules[" + std::to_string(index) + "]";
}

// What is wrong with each of them.
FieldErrors CheckSchedules(const AutoscalerSpec& spec, const ZoneCheck& zones);

}  // namespace ballast::api
