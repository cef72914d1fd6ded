// For tests of what happens at a time limit: code has to get somewhere within the limit first,
// which takes a busy machine longer than any limit that a quick test would choose.
//
// Thread-safety: any thread.
// Errors: none; if the limit never suffices, the last outcome shows why.
#pragma once

#include <chrono>

namespace ballast::support {

// Calls attempt(limit) with a limit of 50 ms, and again with twice as much for as long as
// reached(outcome) is false: the limit came too early for what the test is about. Returns the last
// outcome.
template <typename Attempt, typename Reached>
auto WithGrowingLimit(const Attempt& attempt, const Reached& reached) {
  using namespace std::chrono_literals;
  for (std::chrono::milliseconds limit = 50ms;; limit *= 2) {
    auto outcome = attempt(limit);
    if (reached(outcome) || limit > 5s) {
      return outcome;
    }
  }
}

}  // namespace ballast::support
