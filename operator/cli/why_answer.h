// Explains a recorded replica count in one sentence.
//
// Thread-safety: pure function that reads the process's time zone, which must not change meanwhile.
// Errors: none.
#pragma once

#include <string>

#include "operator/cli/times.h"
#include "operator/explain/explanation.h"
#include "store/history.h"

namespace ballast::cli {

// Null `why`: no snapshot of this decision was kept.
std::string Answer(const store::Entry& entry, const explain::Explanation* why, Zone zone);

}  // namespace ballast::cli
