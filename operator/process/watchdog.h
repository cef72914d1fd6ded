// Watchdog: calls a function if the enclosing scope lasts longer than a span of time.
//
//   const Watchdog watchdog(std::chrono::seconds(5), [&] { calls.request_stop(); });
//   controller.Stop();
//
// `act` runs at most once, on a thread of its own; the destructor waits for it if it is running.
//
// Thread-safety: construction and destruction: owning thread only.
// Errors: none; `act` must not throw.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "operator/os/thread_name.h"

namespace ballast::process {

class Watchdog {
 public:
  Watchdog(std::chrono::nanoseconds span, std::function<void()> act)
      : thread_([span, act = std::move(act)](const std::stop_token& stop) {
          os::NameThisThread("watchdog");
          std::mutex mutex;
          std::condition_variable_any wake;
          std::unique_lock lock(mutex);
          wake.wait_for(lock, stop, span, [] { return false; });
          if (!stop.stop_requested()) {
            act();
          }
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace ballast::process
