// The invariant "why": what `ballast why` says of a recorded decision is true in the model.
#include <algorithm>
#include <utility>

#include "tests/faults/checks.h"

namespace ballast::faults {
namespace {

using Kind = explain::Obstacle::Kind;

// Answers may be that late.
constexpr Nanoseconds kSlack = 60 * kSecond;
// Two clocks may drift apart by 2 %.
constexpr Nanoseconds Longest(Nanoseconds span) { return span * 102 / 100; }
constexpr Nanoseconds Shortest(Nanoseconds span) { return span * 98 / 100; }

}  // namespace

// "The scale-down window holds N": within it, a load needed as many, or the operator scaled up to
// as many, or there were as many when it lost track of time, of leadership or of the metrics.
bool Checks::WasAsHigh(std::size_t index, std::int64_t count, Span made) const {
  const Load& load = loads_[index];
  const State& state = state_[index];
  const Nanoseconds known = made.from - load.sample_every - lateness_ - kSlack;
  const Nanoseconds since = known - Longest(load.Most(&Load::Former::window, load.window, known));
  if (WasNeeded(index, since, made.until,
                [&](std::int64_t needed) { return count <= needed || Suffice(count, needed); })) {
    return true;
  }
  if (std::ranges::any_of(state.ups, [&](const Up& up) {
        return up.at >= since && count <= std::max(up.to, up.to - up.by);
      })) {
    return true;
  }
  // Answers that are lost for a whole window are a silence, after which there counts what there is.
  const bool may_be_silent = load.window <= 2 * load.period + lateness_;
  if (!may_be_silent &&
      std::max({disturbed_, state.disturbed, rate_unknown_, state.anew}) < since) {
    return false;
  }
  for (std::size_t i = 0; i < state.seen.size(); ++i) {
    const bool ended = i + 1 < state.seen.size() && state.seen[i + 1].first < since;
    if (!ended && count <= state.seen[i].second) {
      return true;
    }
  }
  return false;
}

// "maxReplicas is N": it is, or was until the edit that is on its way.
bool Checks::WasMax(std::size_t index, std::int64_t count, Span made) const {
  if (IsOfWindow(index, count, made)) {
    return true;
  }
  const auto& max = state_[index].max;
  for (std::size_t i = 0; i < max.size(); ++i) {
    const bool ended = i + 1 < max.size() && max[i + 1].first < made.from - lateness_ - kSlack;
    if (!ended && max[i].second == count) {
      return true;
    }
  }
  return false;
}

bool Checks::WasMin(std::size_t index, std::int64_t count, Span made) const {
  const Load& load = loads_[index];
  const Nanoseconds known = made.from - lateness_ - kSlack;
  return count == load.min || IsOfWindow(index, count, made) ||
         std::ranges::any_of(load.former, [&](const Load::Former& former) {
           return former.until > known && former.min == count;
         });
}

// "A sample that has already justified a scale-up": another decision was made from it, or from a
// newer one.
bool Checks::WasUsed(const store::Entry& entry, const std::optional<Time>& sample) const {
  return std::ranges::any_of(decisions_, [&](const auto& known) {
    const Decision& decision = known.second;
    return decision.uid == entry.subject.uid && decision.sample >= sample &&
           decision.to > decision.from && decision.added.time != entry.time;
  });
}

// "It is not known yet whether the scale from A to B was written": that was decided.
bool Checks::WasDecided(const store::Entry& entry, const engine::UnsettledWrite& write) const {
  return std::ranges::any_of(decisions_, [&](const auto& known) {
    const Decision& decision = known.second;
    return decision.uid == entry.subject.uid && decision.from == write.from &&
           decision.to == write.to && decision.added.time == write.time;
  });
}

void Checks::CheckWhy(const store::Entry& entry, const engine::Snapshot& snapshot, Span made) {
  const auto found = std::ranges::find(loads_, entry.subject.key.name, &Load::name);
  if (found == loads_.end()) {
    return;
  }
  const auto index = static_cast<std::size_t>(found - loads_.begin());
  const auto why = explain::Explain(snapshot, entry);
  const auto fail = [&](const std::string& what) {
    Fail("why", entry.subject.key.Print() + ", decision " + std::to_string(entry.id) + " (" +
                    std::to_string((Fibers::Get().now() - made.from) / kSecond) +
                    " s ago): " + what);
  };
  const auto& obstacle = why.obstacle;
  if (obstacle && obstacle->kind == Kind::kWindow && !obstacle->up &&
      !WasAsHigh(index, obstacle->allowed, made)) {
    fail("nothing in the window had " + std::to_string(obstacle->allowed) + ": " + obstacle->text);
  }
  if (obstacle && obstacle->kind == Kind::kMaxReplicas &&
      !WasMax(index, why.decision.bounds.max, made)) {
    fail("maxReplicas is not " + std::to_string(why.decision.bounds.max));
  }
  if (obstacle && obstacle->kind == Kind::kMinReplicas &&
      !WasMin(index, why.decision.bounds.min, made)) {
    fail("minReplicas is not " + std::to_string(why.decision.bounds.min));
  }
  if (obstacle && obstacle->kind == Kind::kUsedSample && !MayLackRecords(made.from) &&
      loads_[index].parts.empty() && !WasUsed(entry, SampleOf(why.snapshot))) {
    fail("no other scale-up was made from the sample: " + obstacle->text);
  }
  if (const auto& write = why.snapshot.unsettled_write;
      write && explain::IsBoundBy(why, engine::Rule::kHold) && !MayLackRecords(made.from) &&
      !WasDecided(entry, *write)) {
    fail("no such write was decided: " + obstacle->text);
  }
  if (!loads_[index].windows.empty() || loads_[index].rules.any) {
    return;  // they may be what moves the count
  }
  CheckCounterfactuals(index, why, made);
  const auto& ups = state_[index].ups;
  const bool is_newest = ups.empty() || ups.back().at < made.from;
  // What no metric counts for lasts only until one gives a value.
  if (why.release && obstacle && is_newest && !why.decision.ComputedNothing()) {
    const Duration span = why.release->at - entry.time;
    state_[index].told = Told{made.from, Shortest(span.nanoseconds), entry.current_replicas,
                              why.release->replicas, obstacle->text};
  }
}

// "Until T": nothing in that direction happens before, all else being equal.
void Checks::CheckRelease(std::size_t index, const ScaleWrite& write) {
  const Nanoseconds now = Fibers::Get().now();
  const Load& load = loads_[index];
  const auto told = std::exchange(state_[index].told, std::nullopt);
  if (!told || told->from != write.from || (told->to > told->from) != (write.to > write.from) ||
      now >= told->at + told->span) {
    return;
  }
  const Nanoseconds calm_since =
      std::max({disturbed_, state_[index].disturbed, state_[index].anew, rate_unknown_,
                load.Since(now), state_[index].max.back().first, load.edited()});
  if (calm_since + load.sample_every + 2 * load.period + lateness_ < told->at &&
      !state_[index].outage) {
    Fail("why", load.name + ": " + std::to_string(write.from) + " to " + std::to_string(write.to) +
                    " came " + std::to_string((told->at + told->span - now) / kSecond) +
                    " s before the moment that was named for it: " + told->text);
  }
}

}  // namespace ballast::faults
