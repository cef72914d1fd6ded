// Checks that a JSON object has the shape of its kind: known fields, each of its type, none twice;
// on demand also what the schema says of their values.
//
// This is the API server's strict decoding, except that it finds all problems, not only the first,
// and none in more fields of what servers write. For objects that come from an API server use
// UnknownFields::kIgnored: the server may be newer than this program and know more fields.
//
// Errors: none returned; everything that is wrong is in the FieldErrors.
#pragma once

#include <string>
#include <vector>

#include "api/autoscaling/schema.h"
#include "api/json/json.h"
#include "api/kubernetes/field_error.h"

namespace ballast::api {

enum class Origin {
  kBuiltIn,         // one of Kubernetes' own kinds
  kCustomResource,  // its schema also bounds sizes and rejects quantities that are fractional
                    // numbers
};

enum class UnknownFields { kRefused, kIgnored };

// Whether a required field that is absent, a number below the minimum and a text that is no choice
// are errors, too. Of policies and HPAs validation.h tells these, in upstream's words.
enum class Values { kIgnored, kChecked };

FieldErrors CheckFields(const json::Cursor& object, const SchemaField& schema, Origin origin,
                        UnknownFields unknown = UnknownFields::kRefused,
                        Values values = Values::kIgnored);

// The fields that the errors leave open: their own, and absent ones that an unknown one probably
// stands for. At most FieldErrors::kMost errors have theirs.
struct ShapeErrors {
  FieldErrors errors;
  std::vector<std::string> open;
};
ShapeErrors CheckShape(const json::Cursor& object, const SchemaField& schema, Origin origin,
                       UnknownFields unknown, Values values = Values::kIgnored);

}  // namespace ballast::api
