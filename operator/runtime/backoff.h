// How long to wait before trying again: exponential with jitter, as client-go's reflector and
// kube-rs do (800 ms, doubled, at most 30 s, reset after two healthy minutes).
//
// One Backoff belongs to one watch; sharing it lets one failing watch slow the others down.
// Thread-safety: one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "operator/runtime/clock.h"

namespace ballast::runtime {

struct BackoffOptions {
  std::chrono::milliseconds initial{800};
  std::chrono::milliseconds cap{30'000};
  std::chrono::milliseconds reset_after{120'000};
};

class Backoff {
 public:
  // `random` gives numbers in [0, 1); the default is seeded by the system.
  explicit Backoff(const Clock& clock, const BackoffOptions& options = {},
                   std::function<double()> random = {});

  // The next wait: d + d * random, where d doubles with each call up to the cap and starts again
  // at `initial` when the last call was longer than `reset_after` (plus that wait) ago.
  std::chrono::nanoseconds Next();

 private:
  const Clock& clock_;
  const BackoffOptions options_;
  std::function<double()> random_;
  std::chrono::nanoseconds current_{0};  // 0: the next is the first
  SteadyTime healthy_at_{};              // unless called again before
};

}  // namespace ballast::runtime
