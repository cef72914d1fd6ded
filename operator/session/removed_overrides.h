// The overrides of one autoscaler that were removed before their end, or are about it no longer.
// For the engine they have ended: what a floor or a pin kept is scaled in as after any end, not at
// once. (A hold kept nothing but what there was; it is over when it is gone, as a pause is.)
//
// Another process knows nothing of what was removed before it began.
//
// Bounded, however many come and go: of more than kMost those are left out that have no effect any
// more, and then those that ended first.
//
// Thread-safety: belongs to one autoscaler; one thread at a time.
#pragma once

#include <cstddef>
#include <vector>

#include "api/decision/schedule_window.h"
#include "api/decision/snapshot.h"

namespace ballast::session {

class RemovedOverrides {
 public:
  static constexpr std::size_t kMost = 16;

  // Call at each evaluation: adds those that were removed and still matter.
  void Complete(engine::Snapshot& snapshot);

 private:
  std::vector<engine::ScheduleWindow> seen_;  // at the last evaluation, and begun by then
  std::vector<engine::ScheduleWindow> removed_;
};

}  // namespace ballast::session
