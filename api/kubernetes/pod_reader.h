// Reads a v1 Pod from JSON text without building it in memory (SAX): a cluster has tens of
// thousands, and most of a pod is nobody's business here.
//
// It takes what Decode(Cursor, Pod) takes, but for annotations, the generation, and of the Ready
// condition all except its status and its time. Thread-safety: pure function.
#pragma once

#include <string_view>

#include "api/base/result.h"
#include "api/kubernetes/workload.h"

namespace ballast::api {

// kInvalid: not JSON, or with the path of what does not fit
// ("spec.containers[0].resources.requests.cpu: ...").
Result<Pod> ReadPod(std::string_view json);

}  // namespace ballast::api
