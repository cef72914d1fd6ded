// Time as the program reads it: the wall clock for timestamps, the steady clock for durations.
// Code that waits for a time takes a Clock, so that tests need not sleep; Manager and Watchdog,
// which guard against hanging, do not.
//
// Thread-safety: any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "api/base/time.h"

namespace ballast::process {

using SteadyTime = std::chrono::steady_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time Now() const = 0;
  virtual SteadyTime Steady() const = 0;
  // Waits on `wake`, whose mutex `lock` holds, until it is notified or until `deadline`
  // (SteadyTime::max(): no deadline). May also return spuriously: check and call again.
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

// The system's clock, for those who only read it and are given no other.
const Clock& RealClock();

// One instant, as both clocks show it.
struct Instant {
  Time wall;
  SteadyTime steady;
};

// Reads both clocks together. If the thread was interrupted for 100 ms or longer between the two
// readings, they are repeated, up to five times in all.
Instant ReadBoth(const Clock& clock);

}  // namespace ballast::process
