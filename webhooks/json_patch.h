// The smallest JSON Patch (RFC 6902) that completes an object.
//
// Thread-safety: pure function.
#pragma once

#include <string>

#include "api/json.h"

namespace ballast::webhooks {

// Adds what `completed` has and `object` lacks, and replaces what differs; what only `object` has
// stays. Objects are compared member by member, lists of the same length element by element. Empty
// when there is nothing to do.
std::string PatchTo(const json::Cursor& object, const json::Cursor& completed);

}  // namespace ballast::webhooks
