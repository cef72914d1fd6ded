// SIGTERM and SIGINT as a stop token: the first asks to finish, the second ends the program at once
// with status 128 + signal.
//
// One at a time in a program; its destructor puts the former handlers back.
#pragma once

#include <signal.h>

#include <stop_token>
#include <thread>

namespace ballast::runtime {

class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  struct sigaction former_term_ {};
  struct sigaction former_int_ {};
  std::thread watcher_;
};

}  // namespace ballast::runtime
