// The snapshots that the golden corpus is made of: policies of every kind that a rule, a hold, a
// mode or an edge makes different, a family for each, small and always the same.
#pragma once

#include <vector>

#include "tests/golden/golden.h"

namespace ballast::golden {

// Each with an id "family/what is special"; nothing is decided yet. What is recorded stays, so
// a snapshot that changes gets another id.
std::vector<Line> Policies();

}  // namespace ballast::golden
