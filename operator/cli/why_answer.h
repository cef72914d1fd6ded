// Why there were as many replicas as there were, in one sentence.
//
// Thread-safety: pure function. It cannot fail.
#pragma once

#include <string>

#include "operator/cli/times.h"
#include "operator/explain/explanation.h"
#include "store/reader.h"

namespace ballast::cli {

// `why`: absent when no snapshot of this decision was kept.
std::string Answer(const store::Entry& entry, const explain::Explanation* why, Zone zone);

}  // namespace ballast::cli
