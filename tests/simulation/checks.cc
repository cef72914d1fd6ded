#include "tests/simulation/checks.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <variant>

#include "api/decision/snapshot_json.h"
#include "operator/engine/metric/samples.h"
#include "operator/explain/replay_check.h"
#include "store/compress.h"

namespace ballast::simulation {
namespace {

// A write that was decided before is applied at most this much later.
constexpr Nanoseconds kLanding = 20 * kSecond;
constexpr std::size_t kMostRecommendations = 200;

std::string Counts(std::int64_t from, std::int64_t to) {
  return std::to_string(from) + " to " + std::to_string(to);
}

std::string Ago(Nanoseconds time) {
  const Nanoseconds seconds = (Fibers::Get().now() - time) / kSecond;
  return std::to_string(seconds) + " s ago";
}

}  // namespace

Checks::Checks(const Swarm& swarm, const std::vector<Load>& loads)
    : loads_(loads),
      lateness_((swarm.extreme ? 240 : 90) * kSecond),
      record_delay_((swarm.Has(Fault::kSlowDisk) ? 30 : 5) * kSecond) {}

void Checks::Fail(const std::string& invariant, const std::string& what) {
  if (!failure_) {
    failure_ = {invariant, what, Fibers::Get().now()};
  }
}

void Checks::DisturbPolicy(std::size_t index, Nanoseconds until) {
  state_[index].disturbed = std::max(state_[index].disturbed, until);
}

void Checks::Blind(std::size_t index, Nanoseconds from, Nanoseconds until) {
  state_[index].blind.push_back({from, until});
}

void Checks::Anew(std::size_t index) {
  State& state = state_[index];
  state.anew = Fibers::Get().now();
  state.ups.clear();
  state.used_samples.clear();
}

void Checks::SetMax(std::size_t index, std::int64_t max) {
  state_[index].max.emplace_back(Fibers::Get().now(), max);
}

void Checks::OutageBegins(std::size_t index) {
  if (!state_[index].outage) {
    state_[index].outage = Fibers::Get().now();
  }
}

void Checks::OutageEnds(std::size_t index) {
  State& state = state_[index];
  if (state.outage) {
    Blind(index, *state.outage, Fibers::Get().now() + lateness_);
    state.outage.reset();
  }
}

void Checks::LeaseIs(const std::string& holder) {
  if (holder != holder_) {
    Disturb(Fibers::Get().now());
    LoseRate(Fibers::Get().now());
    for (State& state : state_) {
      state.refused.clear();
    }
  }
  holder_ = holder;
}

void Checks::Sends(const std::string& identity, const std::string& what) {
  if (!holder_.empty() && identity != holder_) {
    Fail("lease", identity + " sends " + what + " while " + holder_ + " holds the Lease");
  }
}

void Checks::Applied(std::size_t index, const ScaleWrite& write) {
  ++applied_;
  ++applied_writes_[{loads_[index].name, {write.from, write.to}}];
  CheckBounds(index, write);
  if (write.to < write.from) {
    CheckScaleIn(index, write);
  }
  CheckRate(index, write);
  CheckRelease(index, write);
}

void Checks::Scaled(std::size_t index, std::int64_t replicas) {
  state_[index].refused.clear();
  See(index, replicas);
}

void Checks::See(std::size_t index, std::int64_t replicas) {
  auto& seen = state_[index].seen;
  if (seen.empty() || seen.back().second != replicas) {
    seen.emplace_back(Fibers::Get().now(), replicas);
  }
}

// Whoever is refused has to find out the present count before the next try.
void Checks::Refused(std::size_t index, const std::string& patch) {
  if (state_[index].refused == patch) {
    Fail("refused", loads_[index].name + ": the same outdated write was refused twice: " + patch);
  }
  state_[index].refused = patch;
}

void Checks::StatusWritten(std::size_t index, const JsonValue& before, const JsonValue& patch) {
  const JsonValue& term = patch.At({"memory", "term"});
  const std::int64_t known = before.At({"memory", "term"}).Integer();
  if (!term.is_null() && term.Integer() < known) {
    Fail("fence", loads_[index].name + ": the status memory of term " + std::to_string(known) +
                      " is replaced by that of term " + std::to_string(term.Integer()));
  }
}

// An edit reaches the operator by a watch, which may be late; what was decided before may land.
void Checks::CheckBounds(std::size_t index, const ScaleWrite& write) {
  const Nanoseconds now = Fibers::Get().now();
  const auto& max = state_[index].max;
  std::int64_t allowed = max.back().second;
  for (std::size_t i = 0; i + 1 < max.size(); ++i) {
    if (max[i + 1].first > now - lateness_ - 60 * kSecond) {
      allowed = std::max(allowed, max[i].second);
    }
  }
  if (write.to < 1 || write.to > allowed) {
    Fail("bounds", loads_[index].name + ": " + Counts(write.from, write.to) +
                       ", allowed are 1 to " + std::to_string(allowed));
  }
}

void Checks::CheckScaleIn(std::size_t index, const ScaleWrite& write) {
  const Nanoseconds now = Fibers::Get().now();
  const Load& load = loads_[index];
  const State& state = state_[index];
  const bool is_clamped = write.to == state.max.back().second;  // whatever the metric says
  if (state.outage && !is_clamped &&
      now - *state.outage > lateness_ + kLanding + load.sample_every) {
    Fail("metrics", load.name + ": " + Counts(write.from, write.to) +
                        " although its metric has failed since " + Ago(*state.outage));
  }
  // A level counts if any operator that evaluates has seen it, and it is in the window still.
  // A clock may drift by 2 %.
  const Nanoseconds oldest = std::max(now - load.window * 98 / 100, state.anew);
  for (const Up& up : state.ups) {
    if (up.by > 0 && up.at > oldest + kLanding && write.to < Held(index, up.to, up.at) &&
        !is_clamped) {
      Fail("early", load.name + ": " + Counts(write.from, write.to) + ", but " + Ago(up.at) +
                        " it was scaled up to " + std::to_string(up.to) + ", and the window is " +
                        std::to_string(load.window / kSecond) + " s");
    }
  }
  const Nanoseconds seen_within = 2 * load.period + lateness_ + load.settling();
  for (std::size_t i = 0; i < load.levels.size() && load.levels[i].from < now; ++i) {
    const Nanoseconds from = std::max(load.levels[i].from, state.anew) + load.sample_every;
    const Nanoseconds until = i + 1 < load.levels.size()
                                  ? std::min(load.levels[i + 1].from, now - kLanding)
                                  : now - kLanding;
    const std::int64_t needed =
        Held(index, std::min(load.levels[i].replicas, state.max.back().second), from);
    const bool lasts = load.Since(now) == load.levels[i].from;  // then whatever the window is
    if ((until - seen_within < oldest && !lasts) || until - from < seen_within ||
        IsBlind(state, from, until)) {
      continue;
    }
    if (write.to < needed && !Suffice(write.to, needed)) {
      Fail("early", load.name + ": " + Counts(write.from, write.to) + ", but until " + Ago(until) +
                        " the load needed " + std::to_string(needed) + ", and the window is " +
                        std::to_string(load.window / kSecond) + " s");
    }
  }
}

// A leader whose clock is wrong leaves times that the next one cannot use; that one holds the count
// that it finds.
std::int64_t Checks::Held(std::size_t index, std::int64_t count, Nanoseconds since) const {
  const auto set = std::ranges::lower_bound(clocks_set_, since);
  if (set == clocks_set_.end()) {
    return count;
  }
  const auto& seen = state_[index].seen;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (i + 1 == seen.size() || seen[i + 1].first > *set) {
      count = std::min(count, seen[i].second);
    }
  }
  return count;
}

bool Checks::WasNeeded(std::size_t index, Nanoseconds since, Nanoseconds until,
                       const std::function<bool(std::int64_t needed)>& holds) const {
  const auto& levels = loads_[index].levels;
  for (std::size_t i = 0; i < levels.size() && levels[i].from <= until; ++i) {
    const bool ended = i + 1 < levels.size() && levels[i + 1].from < since;
    if (!ended && holds(levels[i].replicas)) {
      return true;
    }
  }
  return false;
}

bool Checks::IsBlind(const State& state, Nanoseconds from, Nanoseconds until) const {
  return (state.outage && *state.outage < until) ||
         std::ranges::any_of(state.blind, [&](const Span& blind) {
           return blind.from < until && blind.until > from;
         });
}

void Checks::CheckRate(std::size_t index, const ScaleWrite& write) {
  const Nanoseconds now = Fibers::Get().now();
  State& state = state_[index];
  state.ups.push_back({now, write.to - write.from, write.to});
  if (loads_[index].max_ups == 0) {
    return;
  }
  // What was removed within the period may be added again, as upstream counts.
  constexpr Nanoseconds kPeriod = 60 * kSecond;
  constexpr Nanoseconds kSpan = kPeriod - kLanding - 10 * kSecond;
  std::int64_t allowed = loads_[index].max_ups;
  std::int64_t sum = 0;
  for (const Up& up : state.ups) {
    if (up.by < 0) {
      allowed -= up.at > now - kPeriod - kLanding ? up.by : 0;
    } else {
      sum += up.at > now - kSpan && up.at > rate_unknown_ + kPeriod + kLanding ? up.by : 0;
    }
  }
  if (sum > allowed) {
    Fail("rate", loads_[index].name + ": " + std::to_string(sum) + " replicas were added within " +
                     std::to_string(kSpan / kSecond) + " s, " + std::to_string(allowed) +
                     " are allowed in 60 s");
  }
}

void Checks::DiskFails(int disk) {
  constexpr Nanoseconds kBacklog = 120 * kSecond;  // until the rest is recorded
  const Nanoseconds now = Fibers::Get().now();
  Span& failing = failing_.try_emplace(disk, Span{now, now}).first->second;
  failing = {failing.until < now ? now : failing.from, now + kBacklog};
}

Checks::Span Checks::Made(int disk) const {
  const Nanoseconds now = Fibers::Get().now();
  const auto failing = failing_.find(disk);
  const bool waited = failing != failing_.end() && now <= failing->second.until;
  return {(waited ? failing->second.from : now) - record_delay_, now};
}

void Checks::Recorded(int disk, const store::Change& change) {
  if (const auto* added = std::get_if<store::DecisionAdded>(&change)) {
    Added(disk, *added);
  } else if (const auto* settled = std::get_if<store::DecisionSettled>(&change)) {
    Settled(disk, settled->id, settled->fate, settled->error, settled->conclusion);
  } else if (const auto* corrected = std::get_if<store::FateCorrected>(&change)) {
    Settled(disk, corrected->id, corrected->fate, "", "");
  }
}

std::string Checks::SampleOf(const engine::Snapshot& snapshot) {
  std::string sample;
  for (const auto& answer : snapshot.metrics) {
    if (const auto sampled = engine::NewestTimestamp(answer)) {
      sample = Print(*sampled);
    }
  }
  return sample;
}

void Checks::Added(int disk, const store::DecisionAdded& added) {
  Decision decision{.name = added.subject.key.name,
                    .uid = added.subject.uid,
                    .from = added.current_replicas,
                    .to = added.desired_replicas,
                    .fate = added.fate,
                    .added = added,
                    .sample = {},
                    .made = Made(disk)};
  if (!added.documents.snapshot.empty()) {
    const auto text = store::Decompress(added.documents.snapshot);
    const auto snapshot = text.ok() ? engine::ParseSnapshot(*text) : text.error();
    if (!snapshot.ok()) {
      Fail("replay", decision.name + ": the snapshot of decision " + std::to_string(added.id) +
                         " cannot be read: " + snapshot.error().message);
      return;
    }
    if (snapshot->memory && snapshot->memory->recommendations.size() > kMostRecommendations) {
      Fail("memory", decision.name + ": " +
                         std::to_string(snapshot->memory->recommendations.size()) +
                         " recommendations are remembered");
    }
    decision.sample = SampleOf(*snapshot);
    if (!added.documents.conclusion.empty()) {
      Replay(decision, added.fate, "", added.documents.conclusion);
    }
  }
  Decision& kept = decisions_[{disk, added.id}];
  decision.counted = kept.counted;
  kept = std::move(decision);
  if (kept.fate == store::Fate::kWritten) {
    CountWritten(kept);
  }
}

void Checks::Settled(int disk, store::DecisionId id, store::Fate fate, const std::string& error,
                     const std::string& conclusion) {
  const auto found = decisions_.find({disk, id});
  if (found == decisions_.end()) {
    return;  // its record was lost with the disk's
  }
  found->second.fate = fate;
  if (!conclusion.empty() && !found->second.added.documents.snapshot.empty()) {
    Replay(found->second, fate, error, conclusion);
  }
  if (fate == store::Fate::kWritten) {
    CheckSample(found->second);
    CountWritten(found->second);
  }
  found->second.added.documents = {};  // not needed again
}

void Checks::CheckSample(const Decision& decision) {
  if (decision.to <= decision.from || decision.sample.empty()) {
    return;
  }
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    if (loads_[i].name != decision.name || Fibers::Get().now() < rate_unknown_ + 120 * kSecond) {
      continue;
    }
    const auto [used, is_new] =
        state_[i].used_samples.try_emplace(decision.uid + decision.sample, decision.added.id);
    if (!is_new && used->second != decision.added.id) {
      Fail("sample", decision.name + ": the sample of " + decision.sample +
                         " justified two scale-ups, the second " +
                         Counts(decision.from, decision.to));
    }
  }
}

void Checks::Replay(const Decision& decision, store::Fate fate, const std::string& error,
                    const std::string& conclusion) {
  const store::DecisionAdded& added = decision.added;
  store::Entry entry;
  entry.id = added.id;
  entry.subject = added.subject;
  entry.time = added.time;
  entry.until = added.time;
  entry.current_replicas = added.current_replicas;
  entry.desired_replicas = added.desired_replicas;
  entry.reason = added.reason;
  entry.message = added.message;
  entry.fate = fate;
  entry.concluded = fate;
  entry.error = error;
  entry.concluded_error = error;
  entry.engine = added.engine;
  const auto snapshot = store::Decompress(added.documents.snapshot);
  const auto concluded = store::Decompress(conclusion);
  if (!snapshot.ok() || !concluded.ok()) {
    Fail("replay", "a record is damaged");
    return;
  }
  ++replayed_;
  CheckWhy(entry, *snapshot, decision.made);
  const auto differences = explain::Compare(entry, {*snapshot, *concluded});
  if (!differences.ok()) {
    Fail("replay", added.subject.key.Print() + ": " + differences.error().message);
  } else if (!differences->empty()) {
    const explain::Difference& first = differences->front();
    Fail("replay", added.subject.key.Print() + ", decision " + std::to_string(added.id) + ": " +
                       first.field + " was " + first.recorded + " and is " + first.present);
  }
}

void Checks::Look(std::size_t index, std::int64_t replicas) {
  const Nanoseconds now = Fibers::Get().now();
  const Load& load = loads_[index];
  State& state = state_[index];
  See(index, replicas);
  // Rates may take a while, minute by minute.
  const Nanoseconds climb = load.max_ups == 0 ? 0 : 20 / load.max_ups * 75 * kSecond;
  const Nanoseconds calm_since =
      std::max({disturbed_, state.disturbed, load.Since(now), state.anew});
  const Nanoseconds due = calm_since + load.window + 2 * load.period + 2 * lateness_ + climb +
                          2 * load.sample_every + 60 * kSecond;
  const std::int64_t needed = std::min(load.At(now), state.max.back().second);
  if (!state.outage && now > due && !Suffice(replicas, needed)) {
    Fail("late", load.name + " has " + std::to_string(replicas) + " replicas and needs " +
                     std::to_string(needed) + "; the load changed " + Ago(load.Since(now)) +
                     ", the last disturbance ended " + Ago(std::max(disturbed_, state.disturbed)) +
                     ", and the window is " + std::to_string(load.window / kSecond) + " s");
  }
}

void Checks::AtTheEnd(std::size_t index, std::int64_t replicas) {
  const Load& load = loads_[index];
  const std::int64_t needed =
      std::min(load.At(Fibers::Get().now()), state_[index].max.back().second);
  if (!Suffice(replicas, needed)) {
    Fail("convergence", load.name + " has " + std::to_string(replicas) + " replicas and needs " +
                            std::to_string(needed));
  }
}

// What is on record as written was applied before.
void Checks::CountWritten(Decision& decision) {
  if (std::exchange(decision.counted, true)) {
    return;
  }
  const Count::key_type key{decision.name, {decision.from, decision.to}};
  const int written = ++written_[key];
  const int applied = applied_writes_[key];
  if (written > applied && !records_may_be_lost_) {
    Fail("ledger", decision.name + ": " + Counts(decision.from, decision.to) +
                       " is on record as written " + std::to_string(written) +
                       " times and was applied " + std::to_string(applied) +
                       " times: the last is decision " + std::to_string(decision.added.id) +
                       " made at " + Print(decision.added.time));
  }
}

void Checks::CompareLedgers() {
  if (records_may_be_lost_) {
    return;
  }
  Count possible;
  for (const auto& [id, decision] : decisions_) {
    if (decision.fate == store::Fate::kUnknown || decision.fate == store::Fate::kIntended) {
      ++possible[{decision.name, {decision.from, decision.to}}];
    }
  }
  for (const auto& [key, count] : applied_writes_) {
    if (count > written_[key] + possible[key]) {
      Fail("ledger", key.first + ": " + Counts(key.second.first, key.second.second) +
                         " was applied " + std::to_string(count) + " times and is on record " +
                         std::to_string(written_[key]) + " times");
    }
  }
}

}  // namespace ballast::simulation
