// A clock that only the test moves. Advance() wakes the sleepers whose deadline has come.
//
// Thread-safety: any thread.
// Errors: AwaitSleeper fails the test.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <vector>

#include "operator/process/clock.h"
#include "tests/support/test_patience.h"

namespace ballast::support {

class FakeClock final : public process::Clock {
 public:
  Time Now() const override {
    const std::lock_guard lock(mutex_);
    return Time::FromUnixNanoseconds(1'700'000'000'000'000'000 + (elapsed_ + set_).count());
  }
  process::SteadyTime Steady() const override {
    const std::lock_guard lock(mutex_);
    return SteadyLocked();
  }
  void WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& wake,
                 process::SteadyTime deadline) override {
    std::unique_lock own(mutex_);
    const auto me = sleepers_.insert(sleepers_.end(), {lock.mutex(), &wake, deadline});
    const bool early = SteadyLocked() < deadline;
    sleeping_.notify_all();
    own.unlock();
    // From here on Advance() can come: it needs the lock that wait() releases.
    if (early) {
      wake.wait(lock);
    }
    lock.unlock();
    own.lock();
    unpinned_.wait(own, [&] { return me->pins == 0; });
    sleepers_.erase(me);
    own.unlock();
    lock.lock();
  }

  void Advance(std::chrono::nanoseconds span) {
    std::unique_lock own(mutex_);
    elapsed_ += span;
    // A pinned sleeper's mutex outlives this: its WaitUntil() cannot return before it is unpinned.
    std::vector<Sleeper*> pinned;
    for (Sleeper& sleeper : sleepers_) {
      ++sleeper.pins;
      pinned.push_back(&sleeper);
    }
    own.unlock();
    for (const Sleeper* sleeper : pinned) {
      const std::lock_guard lock(*sleeper->mutex);
      sleeper->wake->notify_all();
    }
    own.lock();
    for (Sleeper* sleeper : pinned) {
      --sleeper->pins;
    }
    unpinned_.notify_all();
  }

  // Sets the wall clock forward or, if negative, back; the steady clock is unaffected.
  void SetWall(std::chrono::nanoseconds by) {
    const std::lock_guard own(mutex_);
    set_ += by;
  }

  // Waits until a thread sleeps until a deadline in the future (not for ever), and returns for how
  // long. The test fails if none does within Patience().
  std::chrono::nanoseconds AwaitSleeper() {
    const auto deadline = std::chrono::steady_clock::now() + Patience();
    std::unique_lock own(mutex_);
    while (true) {
      for (const Sleeper& sleeper : sleepers_) {
        const auto now = SteadyLocked();
        if (sleeper.deadline != process::SteadyTime::max() && sleeper.deadline > now) {
          return sleeper.deadline - now;
        }
      }
      if (sleeping_.wait_until(own, deadline) == std::cv_status::timeout) {
        ADD_FAILURE() << "nobody sleeps";
        return {};
      }
    }
  }

 private:
  struct Sleeper {
    std::mutex* mutex;
    std::condition_variable* wake;
    process::SteadyTime deadline;
    int pins = 0;
  };
  process::SteadyTime SteadyLocked() const {
    return process::SteadyTime(std::chrono::hours(1) + elapsed_);
  }

  mutable std::mutex mutex_;  // guards: everything below; never held while taking a sleeper's mutex
  std::condition_variable sleeping_;
  std::condition_variable unpinned_;
  std::chrono::nanoseconds elapsed_{0};
  std::chrono::nanoseconds set_{0};  // sum of SetWall()
  std::list<Sleeper> sleepers_;
};

}  // namespace ballast::support
