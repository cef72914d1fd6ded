// Whether the present engine makes of a recorded snapshot what was recorded.
//
// Thread-safety: pure functions. Failure modes: kCorrupt when a recorded document cannot be read.
#pragma once

#include <string>
#include <vector>

#include "api/base/result.h"
#include "store/reader.h"

namespace ballast::explain {

// One field of the conclusion, as JSON.
struct Difference {
  std::string field;
  std::string recorded;
  std::string present;
};

// `documents` must have a snapshot. Empty when everything is as it was recorded.
Result<std::vector<Difference>> Compare(const store::Entry& entry,
                                        const store::Documents& documents);

}  // namespace ballast::explain
