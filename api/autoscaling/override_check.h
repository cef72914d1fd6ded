// The complete check of an AutoScaleOverride as a client sends it: its shape, what the CRD refuses
// besides, and what it says. `ballast validate` and the admission webhook use it.
//
// Errors: none returned; everything that is wrong is in the FieldErrors.
#pragma once

#include "api/autoscaling/strict_fields.h"
#include "api/base/time.h"
#include "api/json/json.h"
#include "api/kubernetes/field_error.h"

namespace ballast::api {

// The warning for whoever makes one that has the field `ended`.
inline constexpr const char* kMadeEnded =
    "ended: whoever sets it ends the override, so one that is made with it never counts; leave it "
    "out of a copy";

// `longest`: how long an override may last. `now`: when it is made, if it does not say so.
FieldErrors CheckOverrideObject(const json::Cursor& object, UnknownFields unknown, Duration longest,
                                Time now);

}  // namespace ballast::api
