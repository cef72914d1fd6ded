// Notices when the process stood still: stopped by a signal, starved, or on a machine that was.
// Lateness of a single evaluation is no such thing: then everything else went on.
//
// Thread-safety: any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

#include "operator/runtime/clock.h"
#include "operator/runtime/runner.h"

namespace ballast::runtime {

class Standstill {
 public:
  // `clock` must outlive this. Looks at it twice a second, on a thread of its own.
  explicit Standstill(Clock& clock);

  // The longest time since `since` in which the process did not run; 0 without any.
  std::chrono::nanoseconds LongestSince(SteadyTime since) const;

 private:
  struct Gap {
    SteadyTime end;
    std::chrono::nanoseconds length;
  };

  SteadyTime Look();
  void Note(SteadyTime from, SteadyTime to);

  Clock& clock_;
  mutable std::mutex mutex_;             // guards: gaps_
  std::deque<Gap> gaps_;                 // the newest, oldest first
  std::optional<SteadyTime> looked_at_;  // the turns' own
  Runner runner_;
};

}  // namespace ballast::runtime
