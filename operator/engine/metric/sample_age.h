// Checks the age of a metric's samples.
//
// Thread-safety: pure function.
// Errors: none.
#pragma once

#include <optional>
#include <string>

#include "api/decision/snapshot.h"

namespace ballast::engine {

// Says how old `answer` is if it is too old to be used; absent if its newest sample is at most
// `limit` old, or no sample has a timestamp.
std::optional<std::string> ExplainStaleness(const MetricAnswer& answer, Time now, Duration limit);

}  // namespace ballast::engine
