// What an HPA's memory is worth after an interruption or a wrong clock, before the engine decides
// as upstream does. (Of a policy the engine itself judges that: RepairMemory of its passes.)
#pragma once

#include "api/decision/snapshot.h"

namespace ballast::controllers {

// Moves what it remembers of the future to now: it is of a clock that was wrong, and would count
// until that time has come. After an interruption or a jump of the clock the present count becomes
// the latest recommendation: what happened meanwhile is unknown.
void RepairMemory(engine::Snapshot& hpa);

}  // namespace ballast::controllers
