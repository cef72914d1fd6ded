// Explains a recorded replica count in one sentence, and what was edited before it in another.
//
// Thread-safety: pure functions that read the process's time zone, which must not change meanwhile.
// Errors: none.
#pragma once

#include <string>
#include <vector>

#include "operator/cli/times.h"
#include "operator/explain/explanation.h"
#include "store/history.h"

namespace ballast::cli {

// Null `why`: no snapshot of this decision was kept.
std::string Answer(const store::Entry& entry, const explain::Explanation* why, Zone zone);

// "Before it, spec.maxReplicas was changed from 10 to 20 (kubectl, 14:02:10)." Names at most three
// of the edits; there must be one.
std::string DescribeEdits(const std::vector<store::EditEntry>& edits, Zone zone);

}  // namespace ballast::cli
