// Older versions of HorizontalPodAutoscaler as autoscaling/v2: autoscaling/v1 with the annotations
// in which it keeps what its fields cannot hold, v2beta1 and v2beta2.
//
// As upstream: an annotation that is no JSON is ignored, its metrics come first. Only metadata and
// spec are converted, because a status is never taken from a client. Thread-safety: pure function.
#pragma once

#include <string>
#include <string_view>

#include "api/json/json.h"

namespace ballast::api {

// `object` must have the shape of its apiVersion (strict_fields.h). The result is JSON text.
std::string ConvertToV2(const json::Cursor& object);

}  // namespace ballast::api
