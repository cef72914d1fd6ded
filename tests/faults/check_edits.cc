// The invariants "suspended": nothing is scaled while the mode, a pause or an obstacle forbids it,
// "fallback": it does not count too early, nor from an outage that has ended, and "beginning":
// nothing is scaled in before a policy has been evaluated, with a value, for a window.
#include <algorithm>

#include "tests/faults/checks.h"

namespace ballast::faults {
namespace {

// Two clocks drift apart by so much in a run, and a pause ends by a clock.
constexpr Nanoseconds kApart = 200 * kSecond;
// A wall clock that was set is set right again by then.
constexpr Nanoseconds kSetRight = 500 * kSecond;
// One that is set by no more than that may as well drift: no leader notices.
constexpr Nanoseconds kUnnoticed = 2 * kSecond;

}  // namespace

bool Checks::MayHaveWrongClock() const {
  return !clocks_set_.empty() && clocks_set_.back() > Fibers::Get().now() - kSetRight - lateness_;
}

void Checks::CheckSuspended(std::size_t index, const ScaleWrite& write) {
  const Nanoseconds now = Fibers::Get().now();
  const bool in = write.to < write.from;
  for (const Load::Suspension& suspension : loads_[index].suspensions) {
    const Nanoseconds end = suspension.until - (suspension.by_clock ? kApart : 0);
    if ((in ? suspension.in : suspension.out) && !(suspension.by_clock && MayHaveWrongClock()) &&
        suspension.from < HeardUntil() && now < end) {
      Fail("suspended", loads_[index].name + ": " + std::to_string(write.from) + " to " +
                            std::to_string(write.to) + " although it has been suspended for " +
                            std::to_string((now - suspension.from) / kSecond) + " s");
    }
  }
}

// What a metric asked for before it failed may be scaled a little later. The last value may be
// older than the outage by a period, and was remembered by another leader's clock.
void Checks::CheckFallback(std::size_t index, const ScaleWrite& write) {
  const Load& load = loads_[index];
  const auto& outage = state_[index].outage;
  if (load.fallback_after == 0 || !outage || write.to < write.from || MayHaveWrongClock()) {
    return;
  }
  const Nanoseconds lasts = Fibers::Get().now() - *outage;
  const bool by_minimum = write.to <= HighestFloor(index, HeardUntil());
  const Nanoseconds period = load.Most(&Load::Former::period, load.period, *outage - kHeardOf);
  if (!by_minimum && lasts > lateness_ + landing_ + load.sample_every &&
      lasts < load.fallback_after * 98 / 100 - period - lateness_) {
    Fail("fallback", load.name + ": " + std::to_string(write.from) + " to " +
                         std::to_string(write.to) + " when no metric has given a value for " +
                         std::to_string(lasts / kSecond) + " s, and spec.fallback counts after " +
                         std::to_string(load.fallback_after / kSecond) + " s");
  }
}

// A leader has read the statuses of before. What it remembers of the time since when no metric gave
// a value began after one of them that knew of none.
void Checks::CheckSilence(int disk, const Decision& decision, const engine::Snapshot& snapshot) {
  constexpr Nanoseconds kWritten = 60 * kSecond;  // a status, after its evaluation
  const auto load = std::ranges::find(loads_, decision.name, &Load::name);
  if (load == loads_.end() || !snapshot.memory || !snapshot.memory->no_value_since) {
    return;
  }
  const auto& valued = state_[static_cast<std::size_t>(load - loads_.begin())].valued;
  const Nanoseconds since = snapshot.memory->no_value_since->unix_nanoseconds() - Machine().Wall(0);
  // It led anew, so another process wrote what its disk has of before.
  const bool leads = holder_.starts_with("replica-" + std::to_string(disk) + "_");
  if (valued && valued->disk != disk && leads && valued->at < lease_since_ &&
      since < valued->at - kWritten - apart_) {
    Fail("fallback", decision.name + ": decision " + std::to_string(decision.added.id) +
                         " remembers that no metric has given a value since " +
                         Print(*snapshot.memory->no_value_since) +
                         ", but another replica's status " +
                         std::to_string((Fibers::Get().now() - valued->at) / kSecond) +
                         " s ago said that one did");
  }
}

void Checks::Begins(std::size_t index, Nanoseconds pause) {
  // A pause that nobody has heard of is none.
  const bool was_seen = pause > lateness_ + 60 * kSecond;
  state_[index].begun = was_seen ? Fibers::Get().now() : 0;
  state_[index].idle = was_seen;
}

// Of another target a policy remembers nothing, and nobody scales it who has not seen it.
void Checks::HasOtherTarget(std::size_t index) {
  if (loads_[index].hpa) {
    return;
  }
  HasOtherSubject(index);
  Begins(index, kNever);
}

// Whoever leads by then knows that a metric gave a value, of whichever target.
void Checks::IsRetargeted(std::size_t index) {
  const auto valued = state_[index].valued;
  Anew(index);
  state_[index].valued = valued;
  HasOtherTarget(index);
}

// Whether the evaluations of a whole window had no value until now, by a leader that knows of them:
// else what it found when it began counts.
bool Checks::WasSilent(std::size_t index, Nanoseconds since) const {
  const Load& load = loads_[index];
  const State& state = state_[index];
  const Nanoseconds now = Fibers::Get().now();
  const Nanoseconds window = load.Most(&Load::Former::window, load.window, since - kHeardOf);
  const Nanoseconds period = load.Most(&Load::Former::period, load.period, since - kHeardOf);
  const Nanoseconds known = std::max({since, rate_unknown_, state.anew, state.begun,
                                      lost_track_.empty() ? 0 : lost_track_.back()});
  return !load.hpa && load.parts.empty() &&
         now - known > window + 2 * period + load.sample_every + lateness_ + kHeardOf;
}

// The count that it found, at some moment until everybody has heard of it, is recommended then. It
// may have known of one from before that.
void Checks::CheckBeginning(std::size_t index, const ScaleWrite& write) {
  const Load& load = loads_[index];
  const State& state = state_[index];
  const Nanoseconds now = Fibers::Get().now();
  const Nanoseconds heard = state.begun + lateness_ + 60 * kSecond;
  const Nanoseconds window =
      load.Least(&Load::Former::window, load.window, state.begun - lateness_ - 60 * kSecond);
  const auto set = std::ranges::lower_bound(clocks_set_, state.begun);
  const Nanoseconds sooner = kUnnoticed * (clocks_set_.end() - set);
  const bool is_clamped = WasMax(index, write.to, {now, now});
  if (load.hpa || state.begun == 0 || is_clamped || (now <= heard && !state.idle) ||
      now >= state.begun + window * 98 / 100 - sooner) {
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
