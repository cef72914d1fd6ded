// Does a JSON object have the shape of its kind: known fields, each of its type, none twice?
//
// This is the API server's strict decoding, except that all problems are found, not the first. Of
// an object that comes from an API server fields are ignored that this program does not know: the
// server may be newer.
// Thread-safety: pure function.
#pragma once

#include "api/autoscaling/schema.h"
#include "api/json/json.h"
#include "api/kubernetes/field_error.h"

namespace ballast::api {

enum class Origin {
  kBuiltIn,         // a kind of Kubernetes' own
  kCustomResource,  // its schema also bounds sizes, and takes no number with a fraction as quantity
};

enum class UnknownFields { kRefused, kIgnored };

FieldErrors CheckFields(const json::Cursor& object, const Field& schema, Origin origin,
                        UnknownFields unknown = UnknownFields::kRefused);

}  // namespace ballast::api
