// The JSON schemas of AutoScalePolicy and AutoScaleOverride (draft 7), for editors and for checks
// of manifests.
#pragma once

#include <string>

namespace ballast::api {

// Each returns JSON: the schema of PolicyCrd() or OverrideCrd() without what only the API server
// understands. As a server that validates fields strictly, it refuses those that it does not know.
std::string PolicyJsonSchema();
std::string OverrideJsonSchema();

}  // namespace ballast::api
