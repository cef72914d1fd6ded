// Whether the engine decides one vector as the upstream controller did.
//
// Thread-safety: none; one thread at a time. Failure modes: kInvalid when the line is no vector.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/base/result.h"
#include "operator/explain/decision_stream.h"

namespace ballast::testing {

struct Check {
  std::string id;
  std::vector<std::string> differences;  // empty when the decisions are equal
};

// Lets `stream` answer the snapshot of `line`, a vector {"id", "snapshot", "expected"}. The stream
// carries the memory of series from one vector to the next.
Result<Check> CheckVector(std::string_view line, explain::DecisionStream& stream);

}  // namespace ballast::testing
