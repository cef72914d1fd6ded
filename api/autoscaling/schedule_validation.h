// Validation of spec.schedules of a policy.
#pragma once

#include "api/autoscaling/recurrence.h"
#include "api/autoscaling/types.h"
#include "api/kubernetes/field_error.h"

namespace ballast::api {

// What is wrong with each of them, and where two contradict each other for certain.
FieldErrors CheckSchedules(const AutoscalerSpec& spec, const ZoneCheck& zones);

}  // namespace ballast::api
