// The invariants "suspended": nothing is scaled while the mode or a pause forbids it, and
// "beginning": nothing is scaled in before a policy has been evaluated for a window.
#include <algorithm>

#include "tests/faults/checks.h"

namespace ballast::faults {
namespace {

// Two clocks drift apart by so much in a run, and a pause ends by a clock.
constexpr Nanoseconds kApart = 200 * kSecond;
// A wall clock that was set is set right again by then.
constexpr Nanoseconds kSetRight = 500 * kSecond;

}  // namespace

void Checks::CheckSuspended(std::size_t index, const ScaleWrite& write) {
  const Nanoseconds now = Fibers::Get().now();
  const bool in = write.to < write.from;
  if (!clocks_set_.empty() && clocks_set_.back() > now - kSetRight - lateness_) {
    return;
  }
  for (const Load::Suspension& suspension : loads_[index].suspensions) {
    if ((in ? suspension.in : suspension.out) && now > suspension.from + lateness_ + 60 * kSecond &&
        now < suspension.until - kApart) {
      Fail("suspended", loads_[index].name + ": " + std::to_string(write.from) + " to " +
                            std::to_string(write.to) + " although it has been suspended for " +
                            std::to_string((now - suspension.from) / kSecond) + " s");
    }
  }
}

void Checks::Begins(std::size_t index, Nanoseconds pause) {
  // A pause that nobody has heard of is none.
  const bool was_seen = pause > lateness_ + 60 * kSecond;
  state_[index].begun = was_seen ? Fibers::Get().now() : 0;
}

// Of another target a policy remembers nothing.
void Checks::HasOtherTarget(std::size_t index, Nanoseconds pause) {
  if (loads_[index].hpa) {
    return;
  }
  Begins(index, pause);
  state_[index].target = Fibers::Get().now();
  state_[index].used_samples.clear();
}

// The count that it found, at some moment until everybody has heard of it, is recommended then.
void Checks::CheckBeginning(std::size_t index, const ScaleWrite& write) {
  const Load& load = loads_[index];
  const State& state = state_[index];
  const Nanoseconds now = Fibers::Get().now();
  const Nanoseconds heard = state.begun + lateness_ + 60 * kSecond;
  const Nanoseconds window =
      load.Least(&Load::Former::window, load.window, state.begun - lateness_ - 60 * kSecond);
  const bool is_clamped = WasMax(index, write.to, {now, now});
  if (load.hpa || state.begun == 0 || is_clamped || now <= heard ||
      now >= state.begun + window * 98 / 100) {
    return;
  }
  std::int64_t found = kMax;
  for (std::size_t i = 0; i < state.seen.size() && state.seen[i].first <= heard; ++i) {
    if (i + 1 == state.seen.size() || state.seen[i + 1].first >= state.begun) {
      found = std::min(found, state.seen[i].second);
    }
  }
  if (write.to < found) {
    Fail("beginning", load.name + ": " + std::to_string(write.from) + " to " +
                          std::to_string(write.to) + ", " +
                          std::to_string((now - state.begun) / kSecond) +
                          " s after its evaluation began with at least " + std::to_string(found) +
                          ", and the window is " + std::to_string(window / kSecond) + " s");
  }
}

}  // namespace ballast::faults
