// A thread that takes turns: it calls `turn`, which returns when the next one is due, waits until
// then, and calls it again. Many runners can share the threads of a TurnPool instead.
//
//   Runner runner("certificates", clock, [this](const std::stop_token&) {
//     LookAfterCertificates();
//     return clock.Steady() + kPeriod;
//   });
//   runner.Start();
//
// Anything with complicated rules keeps them in steps without a thread, a clock or I/O
// (reflector.h, election.h, event_correlator.h); a turn carries out what they ask for, and the
// runner waits.
//
// Thread-safety: Start and Stop: owning thread only. Wake: any thread, also in a turn.
// Errors: none; a turn must not throw.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "operator/process/clock.h"
#include "operator/process/turn_pool.h"

namespace ballast::process {

class Runner {
 public:
  using Turn = TurnPool::Turn;

  // `clock` and `pool` must outlive the runner. `pool` null: it has a thread of its own.
  Runner(std::string name, Clock& clock, Turn turn, TurnPool* pool = nullptr);
  ~Runner() { Stop(); }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Takes the first turn at once.
  void Start();
  // Makes the next turn due at once; if a turn is under way, it follows that.
  void Wake();
  // Requests the turn under way to stop, and returns once it has ended. No other begins.
  void Stop();

 private:
  void Run(const std::stop_token& stop);

  const std::string name_;
  Clock& clock_;
  const Turn turn_;

  std::mutex mutex_;  // guards: woken_
  std::condition_variable wake_;
  bool woken_ = false;  // since the last turn began

  TurnPool* const pool_;
  std::jthread thread_;
};

}  // namespace ballast::process
