// The invariant "early" by the samples that reached an operator: what one of them needed holds for
// the window, whoever leads meanwhile, and however late anything else is.
#include <algorithm>

#include "tests/faults/checks.h"

namespace ballast::faults {
namespace {

// A process that dies takes along what it learned in its last two periods, and what it had not
// committed by then.
constexpr Nanoseconds KeptAfter(Nanoseconds period) { return 2 * period * 21 / 20 + 3 * kSecond; }

}  // namespace

// The process asks for the metric again: it has concluded what came before.
void Checks::Asks(std::size_t index, const std::string& identity) {
  const Nanoseconds now = Fibers::Get().now();
  const Load& load = loads_[index];
  const Nanoseconds known = lateness_ + 60 * kSecond;  // an edit, by then
  const Nanoseconds period = load.Most(&Load::Former::period, load.period, now - known);
  State& state = state_[index];
  std::erase_if(state.samples, [&](const Sample& sample) {
    // What failed may have been its scale.
    const bool failed = !sample.concluded && state.delayed > sample.at;
    return sample.at < now - load.window || (sample.identity == identity && failed);
  });
  for (Sample& sample : state.samples) {
    if (sample.identity == identity) {
      sample.concluded = true;
      sample.kept = sample.kept || now - sample.at > KeptAfter(period);
    }
  }
}

void Checks::Delivered(std::size_t index, const std::string& identity, Nanoseconds sampled,
                       std::int64_t needed) {
  const Nanoseconds now = Fibers::Get().now();
  State& state = state_[index];
  if (identity == holder_ && !IsBlind(state, now - kSecond, now + 1) && !IsAboveMax(state) &&
      !IsOff(state) && !MayBeAboveCeiling(index, {now, now})) {
    state.samples.push_back({now, sampled, needed, identity});
  }
}

// What a sample of that moment needs, as far as nobody lost track since then: who leads after
// another, or with a clock that was set, may only hold the count that it finds. Once it has been
// scaled out by a sample, that one needs no more than there are.
std::int64_t Checks::HeldSince(std::size_t index, const Sample& sample) const {
  const State& state = state_[index];
  std::int64_t count = sample.needed;
  const auto lower_to_those_since = [&](const auto& counts, Nanoseconds since) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (i + 1 == counts.size() || counts[i + 1].first > since) {
        count = std::min(count, counts[i].second);
      }
    }
  };
  lower_to_those_since(state.max, sample.at - lateness_);
  if (std::ranges::any_of(state.ups, [&](const Up& up) {
        return up.by > 0 && up.at >= sample.sampled && up.at <= sample.at;
      })) {
    const auto later = std::ranges::upper_bound(state.seen, sample.at, {},
                                                &std::pair<Nanoseconds, std::int64_t>::first);
    count = later == state.seen.begin() ? count : std::min(count, std::prev(later)->second);
  }
  const auto lost = std::ranges::upper_bound(lost_track_, sample.at - kSecond);
  if (lost != lost_track_.end()) {
    lower_to_those_since(state.seen, *lost);
  }
  return count;
}

void Checks::CheckSamples(std::size_t index, const ScaleWrite& write) {
  const Nanoseconds now = Fibers::Get().now();
  const Load& load = loads_[index];
  // A clock may drift by 2 %.
  const Nanoseconds since = load.RememberedSince(now, lateness_ + 60 * kSecond) + landing_;
  for (const Sample& sample : state_[index].samples) {
    const bool binds = sample.kept || (sample.concluded && sample.identity == sender_.identity);
    if (!binds || sample.at < since) {
      continue;
    }
    const std::int64_t needed = HeldSince(index, sample);
    if (write.to < needed && !Suffice(write.to, needed)) {
      Fail("early", load.name + ": " + std::to_string(write.from) + " to " +
                        std::to_string(write.to) + ", but " +
                        std::to_string((now - sample.at) / kSecond) + " s ago " + sample.identity +
                        " had a sample that needs " + std::to_string(needed) +
                        ", and the window is " + std::to_string(load.window / kSecond) + " s");
    }
  }
}

}  // namespace ballast::faults
