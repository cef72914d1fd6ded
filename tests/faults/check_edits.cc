// The invariants "suspended": nothing is scaled while the mode, a pause or an obstacle forbids it,
// "fallback": it does not count too early, and "beginning": nothing is scaled in before a policy
// has been evaluated for a window.
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
  const bool is_set = !clocks_set_.empty() && clocks_set_.back() > now - kSetRight - lateness_;
  for (const Load::Suspension& suspension : loads_[index].suspensions) {
    const Nanoseconds end = suspension.until - (suspension.by_clock ? kApart : 0);
    if ((in ? suspension.in : suspension.out) && !(suspension.by_clock && is_set) &&
        suspension.from < HeardUntil() && now < end) {
      Fail("suspended", loads_[index].name + ": " + std::to_string(write.from) + " to " +
                            std::to_string(write.to) + " although it has been suspended for " +
                            std::to_string((now - suspension.from) / kSecond) + " s");
    }
  }
}

// What a metric asked for before it failed may be scaled a little later.
void Checks::CheckFallback(std::size_t index, const ScaleWrite& write) {
  const Load& load = loads_[index];
  const auto& outage = state_[index].outage;
  if (load.fallback_after == 0 || !outage || write.to < write.from) {
    return;
  }
  const Nanoseconds lasts = Fibers::Get().now() - *outage;
  const bool by_minimum =
      write.to <=
      std::max(FloorOfWindows(index), load.Most(&Load::Former::min, load.min, HeardUntil()));
  if (!by_minimum && lasts > lateness_ + landing_ + load.sample_every &&
      lasts < load.fallback_after * 98 / 100) {
    Fail("fallback", load.name + ": " + std::to_string(write.from) + " to " +
                         std::to_string(write.to) + " when no metric has given a value for " +
                         std::to_string(lasts / kSecond) + " s, and spec.fallback counts after " +
                         std::to_string(load.fallback_after / kSecond) + " s");
  }
}

void Checks::Begins(std::size_t index, Nanoseconds pause) {
  // A pause that nobody has heard of is none.
  const bool was_seen = pause > lateness_ + 60 * kSecond;
  state_[index].begun = was_seen ? Fibers::Get().now() : 0;
  state_[index].idle = was_seen;
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

// Nobody who has not heard of the edit scales the new target.
void Checks::IsRetargeted(std::size_t index) {
  Anew(index);
  HasOtherTarget(index, kNever);
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
  if (load.hpa || state.begun == 0 || is_clamped || (now <= heard && !state.idle) ||
      now >= state.begun + window * 98 / 100) {
    return;
  }
  std::int64_t found = kMax;
  for (std::size_t i = 0; i < state.seen.size() && state.seen[i].first <= heard; ++i) {
    if (i + 1 == state.seen.size() || state.seen[i + 1].first > state.begun) {
      found = std::min(found, state.seen[i].second);
    }
  }
  found = Held(index, found, state.begun);
  if (write.to < found) {
    Fail("beginning", load.name + ": " + std::to_string(write.from) + " to " +
                          std::to_string(write.to) + ", " +
                          std::to_string((now - state.begun) / kSecond) +
                          " s after its evaluation began with at least " + std::to_string(found) +
                          ", and the window is " + std::to_string(window / kSecond) + " s");
  }
}

}  // namespace ballast::faults
