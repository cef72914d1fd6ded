// Reads a v1 Pod from JSON text by SAX, without building a document: a cluster has tens of
// thousands, and Ballast needs little of each.
//
// Reads what Decode(Cursor, Pod) reads, except annotations and the generation; of the Ready
// condition it keeps type, status and lastTransitionTime.
//
// Errors: kInvalid.
#pragma once

#include <string_view>

#include "api/base/result.h"
#include "api/kubernetes/workload.h"

namespace ballast::api {

// kInvalid: not JSON, or a value of the wrong type, with its path
// ("spec.containers[0].resources.requests.cpu: ...").
Result<Pod> ReadPod(std::string_view json);

}  // namespace ballast::api
