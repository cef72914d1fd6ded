// The complete check of one object as a client sends it: kind, shape, conversion, defaults,
// validation. `ballast validate`, `ballast default` and the admission webhook all use it. Feature
// gates count as on; gate_check.h adds what becomes of the object where they are not.
//
// Errors: none returned; everything that is wrong is in ObjectCheck::errors.
#pragma once

#include <string>
#include <vector>

#include "api/autoscaling/recurrence.h"
#include "api/autoscaling/schema.h"
#include "api/autoscaling/strict_fields.h"
#include "api/autoscaling/types.h"
#include "api/json/json.h"
#include "api/kubernetes/field_error.h"

namespace ballast::api {

struct ObjectCheck {
  FieldErrors errors;  // empty: the object is acceptable
  // If the errors are ones of the shape, what is wrong besides: an API server says it only once
  // they are mended.
  FieldErrors further;
  std::vector<std::string> warnings;  // of any length: the webhook shortens them
  // The object with its defaults, as JSON text and as a value, converted to autoscaling/v2 if it
  // was an older version. Set only if its shape is right.
  std::string completed;
  Autoscaler autoscaler;

  bool valid() const { return errors.empty(); }
};

// Checks a HorizontalPodAutoscaler of any version or an AutoScalePolicy. `policies`:
// PolicySchema(), or with other defaults.
ObjectCheck CheckObject(const json::Cursor& object, UnknownFields unknown = UnknownFields::kRefused,
                        const SchemaField& policies = PolicySchema(), const ZoneCheck& zones = {});

}  // namespace ballast::api
