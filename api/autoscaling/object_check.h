// The whole examination of one object as a client sends it: kind, shape, conversion, defaults,
// validation. `ballast validate`, `ballast default` and the admission webhook all ask here.
//
// Thread-safety: pure function. Failure modes: none; whatever is wrong is in `errors`.
#pragma once

#include <string>
#include <vector>

#include "api/autoscaling/strict_fields.h"
#include "api/autoscaling/types.h"
#include "api/json/json.h"
#include "api/kubernetes/field_error.h"

namespace ballast::api {

struct ObjectCheck {
  FieldErrors errors;                 // empty: it would be accepted
  std::vector<std::string> warnings;  // each within 120 characters
  // The object with its defaults, as JSON text and as a value; only when its shape is right. Of an
  // older version, this is what autoscaling/v2 makes of it.
  std::string completed;
  Autoscaler autoscaler;

  bool valid() const { return errors.empty(); }
};

// A HorizontalPodAutoscaler of any version, or an AutoScalePolicy.
ObjectCheck CheckObject(const json::Cursor& object,
                        UnknownFields unknown = UnknownFields::kRefused);

}  // namespace ballast::api
