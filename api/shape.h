// Does a JSON object have the shape of its kind: known fields, each of its type, none twice?
//
// This is the API server's strict decoding, except that all problems are found, not the first.
// Thread-safety: pure function.
#pragma once

#include <vector>

#include "api/field_error.h"
#include "api/json.h"
#include "api/schema.h"

namespace ballast::api {

enum class Origin {
  kBuiltIn,         // a kind of Kubernetes' own
  kCustomResource,  // its schema also bounds sizes, and takes no number with a fraction as quantity
};

std::vector<FieldError> CheckShape(const json::Cursor& object, const Field& schema, Origin origin);

}  // namespace ballast::api
