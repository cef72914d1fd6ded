// The conformance vectors: gzipped NDJSON, one {"id", "about", <input>, "expected"} a line.
//
// They were made by running the upstream HorizontalPodAutoscaler controller of Kubernetes v1.36.3;
// those of kubernetes-1.37 by that of v1.37.2 (tests/peer/README.md).
// Thread-safety: pure function. Failure modes: kNotFound, kCorrupt.
#pragma once

#include <string>
#include <vector>

#include "api/base/result.h"

namespace ballast::testing {

// The lines of a gzipped file.
Result<std::vector<std::string>> ReadGzipLines(const std::string& path);

}  // namespace ballast::testing
