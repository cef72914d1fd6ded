// Reads a JSON document in which the API server describes itself, as it does for discovery.
//
// Thread-safety: thread-safe if the Transport is.
// Errors: the Transport's; kCorrupt, naming the path, if the answer is not JSON.
#pragma once

#include <string>

#include "api/base/result.h"
#include "api/json/json.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"

namespace ballast::kube {

// `path`: escaped. `deadline`: the request's.
Result<json::Document> GetDocument(Transport& transport, const std::string& path,
                                   process::SteadyTime deadline = process::SteadyTime::max());

}  // namespace ballast::kube
