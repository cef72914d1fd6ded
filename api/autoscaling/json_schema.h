// The JSON schema of AutoScalePolicy (draft 7), for editors and for checks of manifests.
#pragma once

#include <string>

namespace ballast::api {

// Returns JSON: the schema of PolicyCrd() without what only the API server understands. As a server
// that validates fields strictly, it refuses those that it does not know.
std::string PolicyJsonSchema();

}  // namespace ballast::api
