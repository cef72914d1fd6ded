// What spec.schedules of a policy say at the moment of a snapshot, for its evaluation and for its
// status.
//
// Thread-safety: a ScheduleResolver: one thread at a time; the functions: any thread.
// Errors: none; a schedule whose zone cannot be found is among ResolvedSchedules::lost.
#pragma once

#include <memory>

#include "api/autoscaling/types.h"
#include "api/base/boxed.h"
#include "api/base/time.h"
#include "api/decision/schedule_window.h"
#include "api/decision/snapshot.h"

namespace ballast::schedules {

// For the evaluations of one policy. What the calendar says is looked up once a day, when it
// changes, and after an edit or at another start-up time; while a zone cannot be found, each time.
// Meanwhile it is kept, in few bytes.
class ScheduleResolver {
 public:
  ScheduleResolver();
  ~ScheduleResolver();

  // Follows from the snapshot's autoscaler, settings and time, and the database of time zones.
  // Absent without schedules, and in the modes that evaluate nothing. `startup`: how long the
  // target's pods take to start.
  //
  // Of each schedule there are at most three windows, because its bounds are the same in all of
  // them: the last one whose end still counts, the one that is open, and the next one if it may
  // count before the policy is evaluated again.
  Boxed<engine::ResolvedSchedules> Resolve(const engine::Snapshot& snapshot, Duration startup);

 private:
  struct Found;
  static Found Find(const engine::Snapshot& snapshot, Duration startup);

  std::unique_ptr<Found> found_;  // null: nothing yet
};

// The same of a policy that is evaluated once.
Boxed<engine::ResolvedSchedules> ResolveSchedules(const engine::Snapshot& snapshot,
                                                  Duration startup);

// What the status shows of the snapshot's schedules.
Boxed<api::ScheduleStatus> StatusOf(const engine::Snapshot& snapshot);

}  // namespace ballast::schedules
