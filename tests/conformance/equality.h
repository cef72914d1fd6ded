// When a decision equals the one that was expected.
//
// Every field that is expected must be there: numbers and strings exactly, quantities by value,
// absent and null alike, conditions in any order, events in order, and of the memory, in any order,
// the entries younger than the longest window (recommendations) or than the longest period of their
// own direction's policies (scale events).
#pragma once

#include <string>
#include <vector>

#include "api/decision/snapshot.h"
#include "api/json/json.h"

namespace ballast::testing {

// "field: want ..., got ..." for each difference; empty when equal.
std::vector<std::string> Differences(const engine::Snapshot& snapshot, const json::Cursor& want,
                                     const json::Cursor& got);

}  // namespace ballast::testing
