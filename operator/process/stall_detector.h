// Notices when the whole process stood still for more than a second by the steady clock: stopped by
// a signal or starved, but not while a machine slept, when that clock stands still too. A single
// late evaluation is no stall.
//
// Thread-safety: any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

#include "operator/process/clock.h"
#include "operator/process/runner.h"

namespace ballast::process {

class StallDetector {
 public:
  // `clock` must outlive the StallDetector. Reads it twice a second, on a thread of its own.
  explicit StallDetector(Clock& clock);

  // The longest time since `since` in which the process did not run, of the last 100; 0 if none.
  std::chrono::nanoseconds LongestSince(SteadyTime since) const;

 private:
  struct Stall {
    SteadyTime end;
    std::chrono::nanoseconds length;
  };

  SteadyTime Look();
  void Note(SteadyTime from, SteadyTime to);

  Clock& clock_;
  mutable std::mutex mutex_;             // guards: gaps_
  std::deque<Stall> gaps_;               // the newest, oldest first
  std::optional<SteadyTime> looked_at_;  // used by Look() only
  Runner runner_;
};

}  // namespace ballast::process
