// What spec.schedules of a policy say at the moment of a snapshot, for its evaluation and for its
// status.
#pragma once

#include "api/autoscaling/types.h"
#include "api/base/boxed.h"
#include "api/base/time.h"
#include "api/decision/schedule_window.h"
#include "api/decision/snapshot.h"

namespace ballast::schedules {

// Follows from the snapshot's autoscaler, settings and time, and the database of time zones. Absent
// without schedules, and in the modes that evaluate nothing. `startup`: how long the target's pods
// take to start.
//
// Of each schedule there are at most three windows, because its bounds are the same in all of them:
// the last one whose end still counts, the one that is open, and the next one if it may count
// before the policy is evaluated again.
Boxed<engine::ResolvedSchedules> ResolveSchedules(const engine::Snapshot& snapshot,
                                                  Duration startup);

// What the status shows of the snapshot's schedules.
Boxed<api::ScheduleStatus> StatusOf(const engine::Snapshot& snapshot);

}  // namespace ballast::schedules
