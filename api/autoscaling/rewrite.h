// Writes an object anew along its schema.
//
// A quantity that Kubernetes' own kinds take and custom resources do not becomes the text that they
// take: a number with a fraction, a text with spaces or a very long one. What is null is left out.
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
