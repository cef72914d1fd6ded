// Time as the runtime reads it: the wall clock for what is written down, the steady clock for how
// long something takes. Everything that waits takes a Clock, so that tests need not sleep.
//
// Thread-safety: any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "api/base/time.h"

namespace ballast::runtime {

using SteadyTime = std::chrono::steady_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time Now() const = 0;
  virtual SteadyTime Steady() const = 0;
  // Waits on `wake`, whose mutex `lock` holds, until it is notified or `deadline` has come
  // (SteadyTime::max(): never). May also return for no reason: check and call again.
  virtual void WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& wake,
                         SteadyTime deadline) = 0;
};

class SystemClock final : public Clock {
 public:
  Time Now() const override;
  SteadyTime Steady() const override;
  void WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& wake,
                 SteadyTime deadline) override;
};

// One instant, as both clocks have it.
struct Instant {
  Time wall;
  SteadyTime steady;
};

// Both at once: as long as the thread is interrupted between the two readings, they are repeated.
Instant ReadBoth(const Clock& clock);

}  // namespace ballast::runtime
