// Schedules that contradict each other for certain. They do no harm, so that this is a reason to
// refuse a policy when somebody writes it, and none not to evaluate one that is there.
#pragma once

#include "api/autoscaling/recurrence.h"
#include "api/autoscaling/types.h"
#include "api/kubernetes/field_error.h"

namespace ballast::api {

// The bounds that never count because of one other schedule, in whose windows all of their own
// lie: ceilings within a higher floor, since a floor beats a ceiling, and bounds within a hold of
// both directions, which comes last. What is wrong in itself contradicts nothing.
FieldErrors FindContradictions(const AutoscalerSpec& spec, const ZoneCheck& zones = {});

}  // namespace ballast::api
