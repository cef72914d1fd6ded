// How old a metric's samples may be.
//
// Thread-safety: pure function. It cannot fail.
#pragma once

#include <optional>
#include <string>

#include "api/decision/snapshot.h"

namespace ballast::engine {

// Why `answer` is too old to be used; absent when its newest sample is at most `limit` old, or has
// no timestamp.
std::optional<std::string> ExplainStaleness(const MetricAnswer& answer, Time now, Duration limit);

}  // namespace ballast::engine
