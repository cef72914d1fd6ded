// Schedules that contradict each other for certain. They do no harm, so that this is a reason to
// refuse a policy when somebody writes it, and none not to evaluate one that is there.
#pragma once

#include "api/autoscaling/types.h"
#include "api/kubernetes/field_error.h"

namespace ballast::api {

// The ceilings that never count, since a floor beats a ceiling: those of which all windows lie
// within windows of one higher floor. What is wrong in itself contradicts nothing.
FieldErrors FindContradictions(const AutoscalerSpec& spec);

}  // namespace ballast::api
