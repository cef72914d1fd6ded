// Policies: a source of metrics that turned to zero, or lost most of its pods, for several policies
// at once is probably broken. For a while nothing is scaled in because of it (the pass "suspect
// source"); whether it is suspect, the snapshot says.
#pragma once

#include <optional>

#include "api/base/time.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

inline constexpr const char* kSourceSuspect = "SourceSuspect";  // the reason of Held

// Until when a suspect source keeps the policy from scaling in; absent if it does not, because none
// is suspect, the time is over, somebody trusts it (trust_annotation.h), or the mode writes no
// scale.
std::optional<Time> SuspectUntil(const Snapshot& snapshot);

}  // namespace ballast::engine
