// API defaulting: what a client may leave out is filled in, from the defaults of schema.h, exactly
// as upstream does for the fields of autoscaling/v2.
//
// Idempotent. Members that are null count as absent and are dropped; what the schema does not know
// is kept as it is. Thread-safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "api/autoscaling/schema.h"
#include "api/json/json.h"

namespace ballast::api {

// The object as JSON text with every default filled in, members in the order given, new ones last.
std::string Complete(const json::Cursor& object, const Field& schema);

// A default that Complete() fills in.
struct MissingDefault {
  std::string path;       // a JSON Pointer, "/spec/minReplicas"
  bool replaces = false;  // an empty list that counts as absent
  std::string json;
};

// Nothing but what Complete() would add. It takes no longer for all that has no defaults, like
// labels.
std::vector<MissingDefault> MissingDefaults(const json::Cursor& object, const Field& schema);

}  // namespace ballast::api
