// How long to wait before the next try: exponential with jitter, as client-go's reflector and
// kube-rs do (800 ms, doubled up to 30 s, reset after two minutes without a failure).
//
// One Backoff belongs to one watch; a shared one would let a failing watch slow the others down.
//
// Thread-safety: one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "operator/process/clock.h"

namespace ballast::process {

struct BackoffOptions {
  std::chrono::milliseconds initial{800};
  std::chrono::milliseconds cap{30'000};
  std::chrono::milliseconds reset_after{120'000};
};

class Backoff {
 public:
  // `random` returns numbers in [0, 1); the default is seeded by the system.
  explicit Backoff(const Clock& clock, const BackoffOptions& options = {},
                   std::function<double()> random = {});

  // The next wait: d + d * random. d doubles with each call up to the cap, and starts again at
  // `initial` if the last call's wait ended `reset_after` or longer ago.
  std::chrono::nanoseconds Next();

 private:
  const Clock& clock_;
  const BackoffOptions options_;
  std::function<double()> random_;
  std::chrono::nanoseconds current_{0};  // 0: before the first call
  SteadyTime healthy_at_{};              // d starts again if no call comes before
};

}  // namespace ballast::process
