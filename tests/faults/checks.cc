#include "tests/faults/checks.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>
#include <variant>

#include "api/autoscaling/condition_types.h"
#include "api/decision/engine_version.h"
#include "api/decision/snapshot_json.h"
#include "operator/engine/metric/samples.h"
#include "operator/engine/stabilization.h"
#include "operator/explain/replay_check.h"
#include "store/packing/compress.h"
#include "store/reasons.h"
#include "tests/faults/decision_model.h"

namespace ballast::faults {
namespace {

constexpr std::size_t kMostRecommendations = 200;
constexpr Nanoseconds kUpsRemembered = 3600 * kSecond;
// A write of a scale is settled for good after this span.
constexpr Nanoseconds kSettled = 10 * kSecond;
// For so long events may be sent after the Lease was given up.
constexpr Nanoseconds kLastReports = 11 * kSecond;

std::string Counts(std::int64_t from, std::int64_t to) {
  return std::to_string(from) + " to " + std::to_string(to);
}

// A copy of its policy scales the same target.
std::string LoadOfPolicy(const std::string& name) {
  return name.starts_with(kOther) ? name.substr(std::string_view(kOther).size()) : name;
}

// Whether the evaluation before was so long ago that having been passed over since ends the line.
bool IsLongAgo(const engine::Snapshot& snapshot) {
  constexpr Duration kDrift = Duration::Seconds(2);  // of the clocks
  Duration longest = engine::Settings().max_view_age;
  if (snapshot.autoscaler.is_policy()) {
    longest = std::min(longest, engine::WindowsOf(snapshot).down);
  }
  return !snapshot.last_evaluation || snapshot.now + kDrift - *snapshot.last_evaluation > longest;
}

std::string Ago(Nanoseconds time) {
  const Nanoseconds seconds = (Fibers::Get().now() - time) / kSecond;
  return std::to_string(seconds) + " s ago";
}

Nanoseconds LatenessOf(const Swarm& swarm) {
  constexpr std::pair<Fault, Nanoseconds> kDelays[] = {
      {Fault::kSlowCalls, 15},   {Fault::kLostRequests, 30},   {Fault::kLostAnswers, 30},
      {Fault::kErrors, 30},      {Fault::kGarbledAnswers, 30}, {Fault::kLostTargets, 15},
      {Fault::kLateWatches, 10}, {Fault::kCutWatches, 10},     {Fault::kStalledWatches, 60},
      {Fault::kExpiry, 10},      {Fault::kSlowMetrics, 15},    {Fault::kMetricOutages, 15},
      {Fault::kKills, 40},       {Fault::kRestarts, 40},       {Fault::kPauses, 40},
      {Fault::kPartitions, 40},  {Fault::kClockSteps, 30},     {Fault::kSlowDisk, 10},
      {Fault::kFailingDisk, 10}, {Fault::kFlaps, 40}};
  Nanoseconds sum = 5;
  for (const auto& [fault, delay] : kDelays) {
    sum += swarm.Has(fault) ? delay * (swarm.extreme ? 3 : 1) : 0;
  }
  sum = std::min<Nanoseconds>(sum, swarm.extreme ? 240 : 90);
  return (sum + (swarm.Has(Fault::kRefusedWatches) ? kMaxViewAge / kSecond : 0)) * kSecond;
}

Nanoseconds LandingOf(const Swarm& swarm) {
  const bool slow =
      std::ranges::any_of(std::array{Fault::kSlowCalls, Fault::kLostAnswers, Fault::kPauses,
                                     Fault::kSlowDisk, Fault::kFailingDisk},
                          [&](Fault fault) { return swarm.Has(fault); });
  return (slow ? 20 : 5) * kSecond;
}

bool RemembersTheFuture(const engine::Snapshot& snapshot) {
  const auto is_later = [&](const auto& entry) { return entry.time > snapshot.now; };
  return snapshot.memory && (std::ranges::any_of(snapshot.memory->recommendations, is_later) ||
                             std::ranges::any_of(snapshot.memory->scale_ups, is_later) ||
                             std::ranges::any_of(snapshot.memory->scale_downs, is_later));
}

Result<engine::Snapshot> Unpack(const std::string& packed) {
  ASSIGN_OR_RETURN(const std::string text, store::Decompress(packed));
  return engine::ParseSnapshot(text);
}

}  // namespace

Checks::Checks(const Swarm& swarm, const std::vector<Load>& loads)
    : loads_(loads),
      lateness_(LatenessOf(swarm)),
      landing_(LandingOf(swarm)),
      status_tells_(std::ranges::none_of(
          std::array{Fault::kClockSteps, Fault::kClockDrift, Fault::kSlowDisk, Fault::kFailingDisk},
          [&](Fault fault) { return swarm.Has(fault); })),
      outcome_known_(landing_ > 5 * kSecond || swarm.Has(Fault::kGarbledAnswers) ? 20 * kSecond
                                                                                 : 0),
      apart_(swarm.Has(Fault::kClockSteps)   ? 7400 * kSecond
             : swarm.Has(Fault::kClockDrift) ? 200 * kSecond
                                             : 0),
      record_delay_((swarm.Has(Fault::kSlowDisk) ? 30 : 5) * kSecond) {}

void Checks::Fail(const std::string& invariant, const std::string& what) {
  if (!failure_) {
    failure_ = {invariant, what, Fibers::Get().now()};
  }
}

void Checks::DisturbPolicy(std::size_t index, Nanoseconds until) {
  state_[index].disturbed = std::max(state_[index].disturbed, until);
}

void Checks::DelayPolicy(std::size_t index) {
  state_[index].delayed = Fibers::Get().now() + 60 * kSecond;
}

void Checks::Blind(std::size_t index, Nanoseconds from, Nanoseconds until) {
  state_[index].blind.push_back({from, until});
}

void Checks::Anew(std::size_t index) {
  HasOtherSubject(index);
  State& state = state_[index];
  state.anew = state.begun = Fibers::Get().now();
  state.idle = false;
  state.refused.clear();
  state.valued.reset();
}

// Nothing that was remembered counts for it.
void Checks::HasOtherSubject(std::size_t index) {
  State& state = state_[index];
  state.subject = Fibers::Get().now();
  state.samples.clear();
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
    const Nanoseconds now = Fibers::Get().now();
    if (!loads_[index].hpa && now - *state.outage > loads_[index].window) {
      DisturbPolicy(index, now);  // nothing is scaled in for a window
    }
    if (WasSilent(index, *state.outage)) {
      Begins(index, kNever);
    }
    Blind(index, *state.outage, now + lateness_);
    state.outage.reset();
  }
}

void Checks::LeaseIs(const std::string& holder, Nanoseconds lasts) {
  lease_until_ = Fibers::Get().now() + lasts * 102 / 100;  // clocks drift
  if (holder != holder_) {
    lost_lease_[holder_] = lease_since_ = Fibers::Get().now();
    lost_track_.push_back(Fibers::Get().now());
    Disturb(Fibers::Get().now());
    LoseRate(Fibers::Get().now());
    for (State& state : state_) {
      state.refused.clear();
    }
  }
  holder_ = holder;
}

void Checks::Sends(const std::string& identity, const std::string& what) {
  const Nanoseconds now = Fibers::Get().now();
  if (identity == holder_ && now <= lease_until_) {
    return;
  }
  const auto lost = lost_lease_.find(identity);
  if (what == "event" && lost != lost_lease_.end() && now - lost->second <= kLastReports) {
    return;
  }
  Fail("lease",
       identity + " sends " + what + " while " +
           (identity == holder_ ? "its Lease has expired"
                                : (holder_.empty() ? "nobody" : holder_) + " holds the Lease"));
}

void Checks::Arrives(const Sender& sender, const std::string& what, Nanoseconds sent) {
  sender_ = sender;
  sent_ = sent;
  if (what == "write scale" && Fibers::Get().now() - sent > kSettled) {
    Fail("lease", sender.identity + ": " + what + " arrives that was sent " + Ago(sent));
  }
}

// By period, by release, by edit, and by each pod that becomes ready.
void Checks::Evaluated(const std::string& identity, const std::string& name) {
  constexpr std::int64_t kMost = 300;
  auto& [since, count] = evaluations_[{identity, name}];
  if (const Nanoseconds now = Fibers::Get().now(); now - since > 60 * kSecond) {
    since = now;
    count = 0;
  }
  if (++count > kMost) {
    Fail("work", name + " is evaluated more than " + std::to_string(kMost) + " times in a minute");
  }
}

void Checks::Applied(std::size_t index, const ScaleWrite& write) {
  ++applied_;
  const Nanoseconds now = Fibers::Get().now();
  const auto may_lose = may_lose_until_.find(sender_.disk);
  unrecorded_[{loads_[index].name, {write.from, write.to}}].push_back(
      {now, may_lose != may_lose_until_.end() && now - kSettled < may_lose->second});
  CheckBounds(index, write);
  CheckSuspended(index, write);
  CheckFallback(index, write);
  if (write.to < write.from) {
    CheckScaleIn(index, write);
    CheckBeginning(index, write);
  }
  CheckRate(index, write);
  CheckRelease(index, write);
}

void Checks::Scaled(std::size_t index, std::int64_t replicas) {
  State& state = state_[index];
  state.refused.clear();
  if (IsOff(state)) {  // no metric is remembered
    Blind(index, state.seen.back().first, Fibers::Get().now() + lateness_);
  }
  const Nanoseconds now = Fibers::Get().now();
  if (IsAboveMax(state) || MayBeAboveCeiling(index, {now, now})) {
    Blind(index, std::max(state.seen.back().first, state.max.back().first), now);
  }
  See(index, replicas);
}

// What is cut to the maximum at once, as upstream does, is so without metrics; while a pause keeps
// it from being cut, no metric is remembered either.
bool Checks::IsAboveMax(const State& state) {
  return !state.seen.empty() && state.seen.back().second > state.max.back().second;
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
  if (!patch.At({"memory"}).is_null()) {
    for (Up& up : state_[index].ups) {
      up.in_status |= up.identity == sender_.identity && sent_ > up.at + outcome_known_;
    }
    JsonValue memory = before.At({"memory"});
    memory.Merge(patch.At({"memory"}));
    if (memory.At({"noValueSince"}).is_null()) {
      state_[index].valued = {Fibers::Get().now(), sender_.disk};
    }
  }
}

Nanoseconds Checks::HeardUntil() const {
  const Nanoseconds heard = Fibers::Get().now() - lateness_ - 60 * kSecond;
  return sender_.identity == holder_ ? std::max(heard, lease_since_) : heard;
}

// An edit reaches the operator by a watch, which may be late; what was decided before may land.
void Checks::CheckBounds(std::size_t index, const ScaleWrite& write) {
  const auto& max = state_[index].max;
  std::int64_t allowed = max.back().second;
  for (std::size_t i = 0; i + 1 < max.size(); ++i) {
    if (max[i + 1].first > HeardUntil()) {
      allowed = std::max(allowed, max[i].second);
    }
  }
  const std::int64_t least =
      MayBeOff(index) ? 0
                      : loads_[index].Least(&Load::Former::min, loads_[index].min, HeardUntil());
  if (write.to < least || write.to > allowed) {
    Fail("bounds", loads_[index].name + ": " + Counts(write.from, write.to) + ", allowed are " +
                       std::to_string(least) + " to " + std::to_string(allowed));
  }
}

void Checks::CheckScaleIn(std::size_t index, const ScaleWrite& write) {
  const Nanoseconds now = Fibers::Get().now();
  const Load& load = loads_[index];
  const State& state = state_[index];
  const bool is_clamped = WasMax(index, write.to, {now, now});  // whatever the metric says
  if (state.outage && !is_clamped &&
      now - *state.outage > lateness_ + landing_ + load.sample_every) {
    Fail("metrics", load.name + ": " + Counts(write.from, write.to) +
                        " although its metric has failed since " + Ago(*state.outage));
  }
  // A level counts if any operator that evaluates has seen it, and it is in the window still.
  // A clock may drift by 2 %.
  if (!is_clamped) {
    CheckSamples(index, write);
  }
  const Nanoseconds known = lateness_ + 60 * kSecond;  // an edit, by then
  const Nanoseconds oldest = std::max(load.RememberedSince(now, known), state.subject);
  for (const Up& up : state.ups) {
    if (up.by > 0 && up.is_wish && up.at > oldest + landing_ &&
        write.to < Held(index, up.to, up.at) && !is_clamped) {
      Fail("early", load.name + ": " + Counts(write.from, write.to) + ", but " + Ago(up.at) +
                        " it was scaled up to " + std::to_string(up.to) + ", and the window is " +
                        std::to_string(load.window / kSecond) + " s");
    }
  }
  if (IsOfWindow(index, write.to, {now, now})) {
    return;  // whatever the load needs
  }
  const Nanoseconds period = load.Most(&Load::Former::period, load.period, oldest - known);
  const Nanoseconds seen_within = 2 * period + lateness_ + load.settling();
  const auto first = load.LevelAt(oldest) - load.levels.begin();
  for (auto i = static_cast<std::size_t>(first);
       i < load.levels.size() && load.levels[i].from < now; ++i) {
    const Nanoseconds from = std::max(load.levels[i].from, state.subject) + load.sample_every;
    const Nanoseconds until = i + 1 < load.levels.size()
                                  ? std::min(load.levels[i + 1].from, now - landing_)
                                  : now - landing_;
    const std::int64_t needed =
        Held(index, std::min(load.levels[i].replicas, state.max.back().second), from);
    const bool lasts = load.Since(now) == load.levels[i].from;  // then whatever the window is
    if ((until - seen_within < oldest && !lasts) || until - from < seen_within ||
        IsBlind(state, from, until) ||
        MayBeAboveCeiling(index, {std::max(from, state.seen.back().first), until})) {
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
  for (auto level = loads_[index].LevelAt(since); level != levels.end() && level->from <= until;
       ++level) {
    if (holds(level->replicas)) {
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
  const bool is_floor = write.to > write.from && write.to <= HighestFloor(index, HeardUntil());
  // Where answers are lost for long enough spec.fallback counts without an outage.
  const bool may_fall_back =
      loads_[index].fallback_after > 0 && write.to <= loads_[index].fallback_replicas;
  const bool is_wish = !is_floor && !may_fall_back;
  state.ups.push_back({now, write.to - write.from, write.to, sender_.identity, is_wish, is_floor});
  std::erase_if(state.ups, [&](const Up& up) { return up.at < now - kUpsRemembered - apart_; });
  if (loads_[index].max_ups == 0 || write.to < write.from) {
    return;
  }
  // What was removed within the period may be added again, as upstream counts.
  constexpr Nanoseconds kPeriod = 60 * kSecond;
  const Nanoseconds span = kPeriod - landing_ - 10 * kSecond;
  std::int64_t allowed = loads_[index].max_ups;
  std::int64_t sum = 0;
  // Until its deletion is known, a policy may scale beside the one that was made in its place.
  const Nanoseconds anew = state.anew == 0 ? 0 : state.anew + lateness_ + 60 * kSecond;
  const Nanoseconds since = std::max(now - span, anew);
  const Nanoseconds known = rate_unknown_ + kPeriod + landing_;
  for (const Up& up : state.ups) {
    const bool counts = up.at > known || up.at == now || (up.in_status && status_tells_);
    if (up.by < 0) {
      // By whose clock, which may have been set before it was forgotten, it is younger than a
      // period.
      const auto set = std::ranges::lower_bound(clocks_set_, up.at);
      // An HPA's is forgotten only when another takes its place, as upstream.
      const bool is_set = set != clocks_set_.end() &&
                          (loads_[index].hpa || *set <= up.at + kPeriod + landing_ + lateness_);
      const Nanoseconds apart = up.identity == sender_.identity && !is_set ? 0 : apart_;
      // Another process may know it twice: by its own ledger's time and by the status's.
      const int times = is_set && up.identity != sender_.identity ? 2 : 1;
      allowed -= up.at > now - kPeriod - landing_ - apart ? times * up.by : 0;
    } else {
      sum += up.at > since && counts && !up.is_floor ? up.by : 0;
    }
  }
  if (sum > allowed) {
    Fail("rate", loads_[index].name + ": " + std::to_string(sum) + " replicas were added within " +
                     std::to_string(span / kSecond) + " s, " + std::to_string(allowed) +
                     " are allowed in 60 s");
  }
}

void Checks::DiskFails(int disk) {
  constexpr Nanoseconds kBacklog = 120 * kSecond;  // until the rest is recorded
  constexpr Nanoseconds kRetry = 5 * kSecond;      // until it is tried again
  const Nanoseconds now = Fibers::Get().now();
  MayLoseRecords(disk, now + kRetry);
  Span& failing = failing_.try_emplace(disk, Span{now, now}).first->second;
  failing = {failing.until < now ? now : failing.from, now + kBacklog};
}

void Checks::MayLoseRecords(int disk, Nanoseconds until) {
  may_lose_until_[disk] = std::max(may_lose_until_[disk], until);
}

bool Checks::MayLackRecords(Nanoseconds time) const {
  constexpr Nanoseconds kRemembered = 900 * kSecond;  // longer than any window and sample here
  return std::ranges::any_of(may_lose_until_,
                             [&](const auto& disk) { return time - kRemembered < disk.second; });
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
    Settled(disk, settled->id, settled->disposition, settled->error, settled->conclusion);
  } else if (const auto* corrected = std::get_if<store::DispositionCorrected>(&change)) {
    Settled(disk, corrected->id, corrected->disposition, "", "");
  }
}

std::optional<Time> Checks::SampleOf(const engine::Snapshot& snapshot) {
  std::optional<Time> sample;
  for (const auto& answer : snapshot.metrics) {
    sample = std::max(sample, engine::NewestTimestamp(answer));
  }
  return sample;
}

void Checks::Added(int disk, const store::DecisionAdded& added) {
  Decision decision{.name = LoadOfPolicy(added.subject.key.name),
                    .uid = added.subject.uid,
                    .from = added.current_replicas,
                    .to = added.desired_replicas,
                    .disposition = added.disposition,
                    .added = added,
                    .sample = {},
                    .made = Made(disk)};
  if (added.made_by == store::MadeBy::kRefused) {
    const auto [none, is_new] = no_scale_.try_emplace(decision.uid, NoScale{decision.made.from});
    none->second.passed |= added.reason == store::kOutOfDate;
  }
  if (!added.documents.snapshot.empty()) {
    const auto snapshot = Unpack(added.documents.snapshot);
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
    if (!snapshot->autoscaler.is_policy() && RemembersTheFuture(*snapshot)) {
      Fail("memory", decision.name + ": decision " + std::to_string(added.id) +
                         " remembers what is later than it");
    }
    decision.sample = SampleOf(*snapshot);
    CheckTrack(*snapshot, decision);
    CheckDecision(decision, *snapshot);
    if (added.subject.key.name == decision.name) {
      CheckWindows(decision, *snapshot);
      CheckSilence(disk, decision, *snapshot);
    }
    if (!added.documents.conclusion.empty()) {
      Replay(decision, *snapshot, added.disposition, "", added.documents.conclusion);
    }
  }
  ++recorded_;
  Decision& kept = decisions_[{disk, added.id}];
  decision.counted = kept.counted;
  kept = std::move(decision);
  if (kept.disposition != store::Disposition::kIntended) {
    kept.added.documents = {};
  }
  forget_.push_back({kept.made.until, {disk, added.id}});
  Forget();
  if (kept.disposition == store::Disposition::kWritten) {
    CountWritten(disk, kept);
  }
}

void Checks::Forget() {
  constexpr Nanoseconds kRemembered = 3600 * kSecond;
  for (; !forget_.empty() && forget_.front().first < Fibers::Get().now() - kRemembered;
       forget_.pop_front()) {
    const auto found = decisions_.find(forget_.front().second);
    if (found != decisions_.end() && found->second.disposition != store::Disposition::kUnknown &&
        found->second.disposition != store::Disposition::kIntended) {
      decisions_.erase(found);
    }
  }
}

void Checks::Settled(int disk, store::DecisionId id, store::Disposition disposition,
                     const std::string& error, const std::string& conclusion) {
  const auto found = decisions_.find({disk, id});
  if (found == decisions_.end()) {
    return;  // its record was lost with the disk's
  }
  found->second.disposition = disposition;
  if (!conclusion.empty() && !found->second.added.documents.snapshot.empty()) {
    // It could be read when it was added.
    Replay(found->second, Unpack(found->second.added.documents.snapshot).value(), disposition,
           error, conclusion);
  }
  if (disposition == store::Disposition::kWritten) {
    CheckSample(found->second);
    CountWritten(disk, found->second);
  }
  found->second.added.documents = {};  // not needed again
}

void Checks::CheckDecision(const Decision& decision, const engine::Snapshot& snapshot) {
  const auto replicas = ReplicasByRules(snapshot);
  if (replicas && decision.added.made_by != store::MadeBy::kObserved && *replicas != decision.to) {
    Fail("decision", decision.name + ": decision " + std::to_string(decision.added.id) + " from " +
                         Counts(decision.from, decision.to) + ", and the rules lead to " +
                         std::to_string(*replicas));
  }
}

// Each holds the count for a window, so neither slow answers nor lateness may look like it.
void Checks::CheckTrack(const engine::Snapshot& snapshot, const Decision& decision) {
  const auto load = std::ranges::find(loads_, decision.name, &Load::name);
  if (load == loads_.end()) {
    return;
  }
  if (std::holds_alternative<engine::Failure>(snapshot.scale)) {
    no_scale_.try_emplace(decision.uid, NoScale{decision.made.from});
    return;
  }
  const auto none = no_scale_.extract(decision.uid);
  const NoScale before = none ? none.mapped() : NoScale{decision.made.from};
  // Since an evaluation that had a scale.
  const Nanoseconds known = before.since - lateness_ - 60 * kSecond;
  const Nanoseconds since =
      known - 2 * load->Most(&Load::Former::period, load->period, known - 2 * load->period);
  // An HPA's last evaluation was before others scaled it.
  if (snapshot.clock_jumped &&
      (clocks_set_.empty() || (!load->hpa && clocks_set_.back() < since))) {
    Fail("track", decision.name + ": no clock was set, and decision " +
                      std::to_string(decision.added.id) + " says so");
  }
  const State& state = state_[static_cast<std::size_t>(load - loads_.begin())];
  if (snapshot.interrupted && !(before.passed && IsLongAgo(snapshot)) &&
      std::max({rate_unknown_, state.disturbed, state.anew}) < since) {
    Fail("track", decision.name + ": nothing was interrupted, and decision " +
                      std::to_string(decision.added.id) + " says so");
  }
}

void Checks::CheckSample(const Decision& decision) {
  if (decision.to <= decision.from || !decision.sample) {
    return;
  }
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    // With several metrics, each has samples of its own.
    if (loads_[i].name != decision.name || loads_[i].hpa || !loads_[i].parts.empty() ||
        Fibers::Get().now() < rate_unknown_ + 120 * kSecond) {
      continue;
    }
    const Nanoseconds known = decision.made.from - lateness_ - 60 * kSecond;
    if (decision.to <= HighestFloor(i, known)) {
      continue;  // that justified it
    }
    const auto [used, is_new] =
        state_[i].used_samples.try_emplace({decision.uid, *decision.sample}, decision.added.id);
    if (!is_new && used->second != decision.added.id) {
      Fail("sample", decision.name + ": the sample of " + Print(*decision.sample) +
                         " justified two scale-ups, the second " +
                         Counts(decision.from, decision.to));
    }
  }
}

void Checks::Replay(const Decision& decision, const engine::Snapshot& snapshot,
                    store::Disposition disposition, const std::string& error,
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
  entry.disposition = disposition;
  entry.concluded = disposition;
  entry.error = error;
  entry.concluded_error = error;
  entry.made_by = added.made_by;
  entry.engine = engine::kEngineVersion;
  const auto concluded = store::Decompress(conclusion);
  if (!concluded.ok()) {
    Fail("replay", "a record is damaged");
    return;
  }
  ++replayed_;
  CheckWhy(entry, snapshot, decision.made);
  const auto differences = explain::Compare(entry, snapshot, *concluded);
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
  const Nanoseconds climb =
      (load.max_ups == 0 ? 0 : 20 / load.max_ups * 75 * kSecond) + load.rules.climb;
  const Nanoseconds calm_since =
      std::max({disturbed_, state.disturbed, load.Since(now), state.anew});
  const Nanoseconds due = std::max(calm_since + load.window + 2 * load.period + 2 * lateness_ +
                                       climb + 2 * load.sample_every + 60 * kSecond,
                                   state.delayed + 2 * load.period + lateness_);
  const std::int64_t needed = std::clamp(load.At(now), load.min, state.max.back().second);
  if (!state.outage && now > due && !Suffice(replicas, needed) && load.MayGo(replicas, needed)) {
    Fail("late", load.name + " has " + std::to_string(replicas) + " replicas and needs " +
                     std::to_string(needed) + "; the load changed " + Ago(load.Since(now)) +
                     ", the last disturbance ended " + Ago(std::max(disturbed_, state.disturbed)) +
                     ", and the window is " + std::to_string(load.window / kSecond) + " s");
  }
}

// Whether others may have undone three of its scalings within an hour.
bool Checks::MayBeTugOfWar(std::size_t index) const {
  const State& state = state_[index];
  const Nanoseconds since = Fibers::Get().now() - 3600 * kSecond - lateness_;
  return std::ranges::count_if(state.seen, [&](const auto& seen) {
           return seen.first > since &&
                  std::ranges::find(state.ups, seen.first, &Up::at) == state.ups.end();
         }) >= 3;
}

void Checks::AtTheEnd(std::size_t index, const JsonValue& autoscaler, std::int64_t replicas) {
  const Load& load = loads_[index];
  const JsonValue& status = autoscaler.At({"status"});
  for (const char* field : {"currentReplicas", "desiredReplicas"}) {
    if (!load.hpa && status.At({field}).Integer() != replicas) {
      Fail("status", load.name + ": " + field + " is " + status.At({field}).Print() +
                         " in the end, and there are " + std::to_string(replicas));
    }
  }
  if (const auto* conditions = status.At({"conditions"}).Elements(); !load.hpa && conditions) {
    for (const JsonValue& one : *conditions) {
      const std::string type = one.At({"type"}).Text();
      const bool is_true = one.At({"status"}).Text() == "True";
      if (is_true && one.At({"reason"}).Text() == api::kTugOfWar && MayBeTugOfWar(index)) {
        continue;
      }
      if ((type == "Ready" && !is_true) || ((type == "Held" || type == "Conflicted") && is_true)) {
        Fail("status", load.name + ": in the end the status has " + one.Print());
      }
    }
  }
  const std::int64_t needed =
      std::clamp(load.At(Fibers::Get().now()), load.min, state_[index].max.back().second);
  if (!Suffice(replicas, needed) && load.MayGo(replicas, needed)) {
    Fail("convergence", load.name + " has " + std::to_string(replicas) + " replicas and needs " +
                            std::to_string(needed));
  }
}

// What is on record as written was applied before, and is on record once.
void Checks::CountWritten(int disk, Decision& decision) {
  if (std::exchange(decision.counted, true)) {
    return;
  }
  auto& writes = unrecorded_[{decision.name, {decision.from, decision.to}}];
  if (writes.empty()) {
    if (may_lose_until_[disk] > decision.made.from) {
      return;  // it was settled otherwise before, which was lost; others may have led since
    }
    Fail("ledger", decision.name + ": " + Counts(decision.from, decision.to) +
                       " is on record as written more often than it was applied: the last is "
                       "decision " +
                       std::to_string(decision.added.id) + " made at " +
                       Print(decision.added.time));
    return;
  }
  // What must be on record comes first.
  const auto write = std::ranges::find(writes, false, &Write::may_be_lost);
  writes.erase(write == writes.end() ? writes.begin() : write);
}

void Checks::CompareLedgers() {
  std::map<Scaling, std::int64_t> possible;
  for (const auto& [id, decision] : decisions_) {
    if (decision.disposition == store::Disposition::kUnknown ||
        decision.disposition == store::Disposition::kIntended) {
      ++possible[{decision.name, {decision.from, decision.to}}];
    }
  }
  for (const auto& [scaling, writes] : unrecorded_) {
    if (std::ranges::count(writes, false, &Write::may_be_lost) > possible[scaling]) {
      const auto write = std::ranges::find(writes, false, &Write::may_be_lost);
      Fail("ledger", scaling.first + ": " + Counts(scaling.second.first, scaling.second.second) +
                         " was applied " + Ago(write->at) + " and is not on record as written");
    }
  }
}

}  // namespace ballast::faults
