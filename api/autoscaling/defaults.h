// API defaulting: fills in what a client left out, from the defaults of schema.h, for the fields of
// autoscaling/v2 exactly as upstream does.
//
// Idempotent. Null members count as absent and are dropped; members that the schema does not know
// are kept as they are.
#pragma once

#include <string>
#include <vector>

#include "api/autoscaling/schema.h"
#include "api/json/json.h"

namespace ballast::api {

// The object as JSON text with every default filled in: members in the given order, new ones last.
std::string Complete(const json::Cursor& object, const SchemaField& schema);

// A default that Complete() fills in.
struct MissingDefault {
  std::string path;       // a JSON Pointer, "/spec/minReplicas"
  bool replaces = false;  // replaces an empty list that counts as absent
  std::string json;
};

// Only what Complete() would add. Parts without defaults, like labels, cost no time.
std::vector<MissingDefault> MissingDefaults(const json::Cursor& object, const SchemaField& schema);

}  // namespace ballast::api
