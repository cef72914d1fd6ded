// Validation of an autoscaler whose shape is right and whose defaults are filled in. For the fields
// of autoscaling/v2 the verdicts and field paths are those of Kubernetes v1.36.3 on create with
// both feature gates on; the messages say how to fix the object.
//
// Errors: none returned; everything that is wrong is in the FieldErrors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/autoscaling/recurrence.h"
#include "api/autoscaling/strict_fields.h"
#include "api/autoscaling/types.h"
#include "api/json/json.h"
#include "api/kubernetes/field_error.h"

namespace ballast::api {

// So long a policy may rest between two evaluations (spec.syncPeriodSeconds).
inline constexpr std::int32_t kMaxSyncPeriodSeconds = 3600;

FieldErrors ValidateSpec(const Autoscaler& autoscaler, const ZoneCheck& zones = {});

// A missing namespace is not an error: the client that sends the object adds it. Only built-in
// kinds must have finalizers with a slash.
FieldErrors ValidateMetadata(const json::Cursor& metadata, Origin origin);

// What is valid but may surprise; each warning is at most 120 characters long.
std::vector<std::string> Warnings(const Autoscaler& autoscaler);

}  // namespace ballast::api
