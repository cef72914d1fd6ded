// SIGTERM and SIGINT as a stop token: the first asks to finish, the second ends the program at once
// with status 128 + signal. SIGUSR1 and SIGUSR2 as calls.
//
// One at a time in a program; its destructor puts the former handlers back. The calls come on a
// thread of its own, where anything may be done, one after the other.
#pragma once

#include <signal.h>

#include <array>
#include <functional>
#include <stop_token>
#include <thread>

namespace ballast::os {

// What to do on a signal of the user's.
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
