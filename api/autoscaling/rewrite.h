// Writes an object anew along its schema.
//
// A number with a fraction where a quantity belongs becomes text: Kubernetes' own kinds take both,
// custom resources only text. What is null is left out.
//
// Errors: none; what has another shape than the schema is written as it is.
#pragma once

#include <string>

#include "api/autoscaling/schema.h"
#include "api/json/json.h"

namespace ballast::api {

enum class Unknown {
  kKept,
  kDropped,
  // Names count in any case, as Go's encoding/json reads them; what then is still unknown is kept
  // or dropped.
  kKeptInAnyCase,
  kDroppedInAnyCase,
};

// JSON text.
std::string Rewrite(const json::Cursor& in, const SchemaField& schema, Unknown unknown);

}  // namespace ballast::api
