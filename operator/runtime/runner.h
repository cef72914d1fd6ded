// A thread for what happens in turns: calls `turn`, which says when the next one is due, waits
// until then, and calls it again.
//
//   Runner runner("certificates", clock, [this](const std::stop_token&) {
//     LookAfterCertificates();
//     return clock.Steady() + kPeriod;
//   });
//   runner.Start();
//
// The rules of what runs here are steps without a thread, a clock or I/O of their own (reflector.h,
// election.h, event_correlator.h): a turn carries out what they ask for. Only the runner waits.
// Thread-safety: Start and Stop: owning thread only. Wake: any thread, a turn included.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "operator/runtime/clock.h"

namespace ballast::runtime {

class Runner {
 public:
  // Returns when the next turn is due: SteadyTime::min(): at once, max(): when it is woken.
  using Turn = std::function<SteadyTime(const std::stop_token& stop)>;

  // `clock` must outlive this.
  Runner(std::string name, Clock& clock, Turn turn);
  ~Runner() { Stop(); }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // The first turn comes at once.
  void Start();
  // The next turn comes at once, if one is under way after it.
  void Wake();
  // Returns when the turn under way has ended. No other begins.
  void Stop() { thread_ = {}; }

 private:
  void Run(const std::stop_token& stop);

  const std::string name_;
  Clock& clock_;
  const Turn turn_;

  std::mutex mutex_;  // guards: woken_
  std::condition_variable wake_;
  bool woken_ = false;  // since the last turn began

  std::jthread thread_;
};

}  // namespace ballast::runtime
