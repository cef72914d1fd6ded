// Converts older versions of HorizontalPodAutoscaler to autoscaling/v2: autoscaling/v1 with the
// annotations that hold what its fields cannot, v2beta1 and v2beta2.
//
// As upstream does, it ignores an annotation that does not fit its type and puts the metrics of
// annotations first. It converts metadata and spec only, because a client never sets the status.
//
// Errors: none; the input must have been checked before.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/json/json.h"
#include "api/kubernetes/field_error.h"

namespace ballast::api {

// In them, autoscaling/v1 and v2beta1 keep what their fields cannot.
inline constexpr std::string_view kAlphaAnnotations = "autoscaling.alpha.kubernetes.io/";

struct AlphaAnnotation {
  std::optional<json::Document> content;  // in the names of the field; absent: none counts
  FieldErrors ignored;                    // what Kubernetes ignores in it, or why all of it
};

// What the annotation of that name ("metrics", "behavior") holds.
AlphaAnnotation ReadAlphaAnnotation(const json::Cursor& object, std::string_view name);

// `object` must have the shape of its apiVersion (strict_fields.h). Returns JSON text.
std::string ConvertToV2(const json::Cursor& object);

}  // namespace ballast::api
