// The invariant "mirror" of policies: what the load needed within the window, and which therefore
// still holds the count, is in the status memory a minute later, so that whoever leads next knows
// it.
#include <algorithm>

#include "api/base/time.h"
#include "tests/faults/checks.h"

namespace ballast::faults {
namespace {

constexpr Nanoseconds kRested = 60 * kSecond;  // for so long the status memory alone is no news

}  // namespace

void Checks::LookAtMirror(std::size_t index, const JsonValue& policy) {
  const Load& load = loads_[index];
  const State& state = state_[index];
  const Nanoseconds now = Fibers::Get().now();
  const Nanoseconds evaluated = 2 * load.period + load.sample_every + lateness_;
  const Nanoseconds written = evaluated + kRested + kHeardOf;
  const Nanoseconds calm =
      written + std::max({disturbed_, state.disturbed, state.delayed, state.subject, state.begun,
                          load.edited(), state.max.back().first});
  if (load.hpa || !load.parts.empty() || load.per_pod() || !load.windows.empty() || state.outage ||
      apart_ > 0 || now < calm) {
    return;
  }
  // Within the tolerance as many are asked for as there are.
  const auto asked = [&](std::int64_t needed) {
    std::int64_t most = needed;
    for (const auto& [since, count] : state.seen) {
      most = Suffice(count, needed) ? std::max(most, count) : most;
    }
    return most;
  };
  std::int64_t later = asked(load.At(now));
  for (auto level = load.LevelAt(now); level != load.levels.begin(); --level) {
    const Nanoseconds end = level->from;
    const Load::Level& before = *std::prev(level);
    if (end < now - load.window * 98 / 100 + kHeardOf || before.from < calm - written) {
      break;
    }
    const std::int64_t needed = before.replicas;
    const bool holds = needed > later && !Suffice(later, needed);
    const bool is_known =
        end - before.from > evaluated && now - end > written && !IsBlind(state, before.from, now);
    later = std::max(later, asked(needed));
    const Nanoseconds since = Machine().Wall(end - evaluated);
    const auto* kept = policy.At({"status", "memory", "recommendations"}).Elements();
    const auto holds_it = [&](const JsonValue& one) {
      const auto until = ParseTime(one.At({"to"}).Text());
      const std::int64_t count = one.At({"value"}).Integer();
      return (count >= needed || Suffice(count, needed)) && until.ok() &&
             until->unix_nanoseconds() >= since;
    };
    if (holds && is_known && (kept == nullptr || std::ranges::none_of(*kept, holds_it))) {
      Fail("mirror", load.name + ": its status memory does not have that until " +
                         std::to_string((now - end) / kSecond) + " s ago the load needed " +
                         std::to_string(needed));
    }
  }
}

}  // namespace ballast::faults
