// SIGTERM and SIGINT as a stop token: the first one requests to stop, the second ends the program
// at once with status 128 + signal. SIGUSR1 and SIGUSR2 as callbacks.
//
// At most one Signals at a time in a program; its destructor restores the former handlers. The
// callbacks run on a thread of their own, one after the other, and may do anything.
//
// Thread-safety: constructor and destructor: one thread. token(): any thread.
// Errors: the constructor aborts the program if no file descriptor is left.
#pragma once

#include <signal.h>

#include <array>
#include <functional>
#include <stop_token>
#include <thread>

namespace ballast::os {

// Callbacks for the user signals.
struct OnUserSignal {
  std::function<void()> usr1 = [] {};
  std::function<void()> usr2 = [] {};
};

class Signals {
 public:
  explicit Signals(OnUserSignal on_user = {});
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  static constexpr std::array kHandled{SIGTERM, SIGINT, SIGUSR1, SIGUSR2};

  void Watch(int pipe_end);

  const OnUserSignal on_user_;
  std::stop_source stop_;
  std::array<struct sigaction, kHandled.size()> former_{};
  std::thread watcher_;
};

}  // namespace ballast::os
