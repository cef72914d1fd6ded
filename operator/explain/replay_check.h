// Checks that this engine decides from a recorded snapshot what was recorded.
//
// Errors: kCorrupt if a recorded document cannot be read.
#pragma once

#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/decision/snapshot.h"
#include "store/history.h"

namespace ballast::explain {

// A field of the conclusion that differs; both values as JSON.
struct Difference {
  std::string field;
  std::string recorded;
  std::string present;
};

// `documents` must have a snapshot. Empty: the result is the recorded one.
Result<std::vector<Difference>> Compare(const store::Entry& entry,
                                        const store::Documents& documents);
// The same with the snapshot as parsed; `conclusion` may be empty.
Result<std::vector<Difference>> Compare(const store::Entry& entry, const engine::Snapshot& snapshot,
                                        const std::string& conclusion);

}  // namespace ballast::explain
