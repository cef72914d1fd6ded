// The invariants of DESIGN as a person outside of the operator sees them: from what the API server
// applied, from the loads, and from what the ledgers recorded. Nothing here asks the operator.
//
//   bounds       a count outside of minReplicas and maxReplicas is never applied, nor decided one
//                that overrides and schedules do not allow then (check_windows.cc)
//   suspended    nothing is scaled in mode DryRun or Disabled, nor in a direction that is paused
//                or held
//   lease        no write is sent but by the replica that holds the Lease, while it is not expired;
//                none of a scale arrives after it has been settled
//   fence        the status memory of an earlier term never replaces that of a later one
//   refused      no write is refused twice because of the same outdated count
//   metrics      no scale-in while the metric fails
//   fallback     while no metric gives a value, nothing is scaled out before spec.fallback counts;
//                nor does a leader remember that none has since a time before another replica's
//                status that said that one did (check_edits.cc)
//   early        no scale-in below what the load of the last window needed (the twin: an
//                undisturbed operator would have seen that load), nor below what a sample needed
//                that an operator has seen (check_samples.cc), nor below what was scaled up to,
//                within the window, by whichever replica
//   beginning    no scale-in below the count that the evaluation of a policy, or of another target,
//                or the first value after none for a window, began with, within a window from then
//                on (check_edits.cc)
//   late         what the load needs is there one window and two periods after the last disturbance
//   rate         no more is added in half a minute than the policy allows in one
//   sample       one sample justifies one scale-up
//   replay       every record, decided again, comes out as recorded
//   why          what `ballast why` says of a record is so in the model (check_why.cc,
//                check_counterfactuals.cc)
//   track        a record that says that a clock was set, or that evaluations were interrupted, is
//                right
//   work         no thread runs in circles, and no autoscaler is evaluated again and again
//   decision     what is decided on record is what the rules make of it, by the model's own
//                arithmetic (decision_model.h)
//   memory       what is remembered of a policy is bounded
//   mirror       what still counts of a policy's memory is in its status (check_mirror.cc)
//   status       in the end a policy's status has the target's replicas, and nothing is wrong
//   disk         after a kill or a power cut a SQLite file has what was committed, and of what was
//                under way all or nothing; it is never taken for a damaged one
//   ledger       a write on record was applied, once, unless its disk lost records since; at the
//                end each that was applied is on record, unless the disk refused it then
//
// Thread-safety: one thread.
// Errors: the first violation is kept.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/decision/snapshot.h"
#include "operator/explain/explanation.h"
#include "store/fold/batch.h"
#include "store/history.h"
#include "tests/faults/api_server.h"
#include "tests/faults/faults.h"
#include "tests/faults/load_curve.h"

namespace ballast::faults {

// So long after an edit, and the longest lateness, everybody has heard of it.
inline constexpr Nanoseconds kHeardOf = 60 * kSecond;
// Of whatever a watch has not told for longer, nothing is decided: --max-view-age.
inline constexpr Nanoseconds kMaxViewAge = 120 * kSecond;

struct Failure {
  std::string invariant;
  std::string what;
  Nanoseconds at = 0;
};

class Checks {
 public:
  // `loads` must outlive the Checks, and be complete before Begin().
  Checks(const Swarm& swarm, const std::vector<Load>& loads);
  void Begin() { state_.resize(loads_.size()); }

  const std::optional<Failure>& failure() const { return failure_; }
  void Fail(const std::string& invariant, const std::string& what);

  // ---- What happens in the world
  // A fault from now until `until`, after which a policy needs time to be where it should be again.
  void Disturb(Nanoseconds until) { disturbed_ = std::max(disturbed_, until); }
  void DisturbPolicy(std::size_t index, Nanoseconds until);
  // A call for the policy fails; what it was for comes with a later evaluation.
  void DelayPolicy(std::size_t index);
  void ClockSet() {
    clocks_set_.push_back(Fibers::Get().now());
    lost_track_.push_back(Fibers::Get().now());
  }
  // The rate is not checked across changes of leaders and clocks.
  void LoseRate(Nanoseconds until) { rate_unknown_ = std::max(rate_unknown_, until); }
  // The load of that time cannot be seen.
  void Blind(std::size_t index, Nanoseconds from, Nanoseconds until);
  // A policy is made anew: nothing is known of the past.
  void Anew(std::size_t index);
  // It is evaluated from now on, after a `pause`.
  void Begins(std::size_t index, Nanoseconds pause);
  // From now on.
  void HasOtherTarget(std::size_t index);
  // By an edit of the autoscaler.
  void IsRetargeted(std::size_t index);
  void SetMax(std::size_t index, std::int64_t max);
  void OutageBegins(std::size_t index);
  void OutageEnds(std::size_t index);
  bool InOutage(std::size_t index) const { return state_[index].outage.has_value(); }

  // ---- What the operator does
  void LeaseIs(const std::string& holder, Nanoseconds lasts);
  void Sends(const std::string& identity, const std::string& what);
  // A process, and the number of its disk.
  struct Sender {
    std::string identity;
    int disk = 0;
  };
  // Its write reaches the server.
  void Arrives(const Sender& sender, const std::string& what, Nanoseconds sent);
  // It asks for a policy's metric, and gets a sample by which the policy needs so many replicas.
  void Asks(std::size_t index, const std::string& identity);
  void Delivered(std::size_t index, const std::string& identity, Nanoseconds sampled,
                 std::int64_t needed);
  // An autoscaler of that name.
  void Evaluated(const std::string& identity, const std::string& name);
  void Applied(std::size_t index, const ScaleWrite& write);
  // By whomever.
  void Scaled(std::size_t index, std::int64_t replicas);
  void Refused(std::size_t index, const std::string& patch);
  void StatusWritten(std::size_t index, const JsonValue& before, const JsonValue& patch);
  void Recorded(int disk, const store::Change& change);
  // A disk refuses what is to be recorded, which comes later or is lost.
  void DiskFails(int disk);
  // What is to be recorded on the disk from now until `until` may be lost with the process.
  void MayLoseRecords(int disk, Nanoseconds until);
  // Every few seconds.
  void Look(std::size_t index, std::int64_t replicas);
  void LookAtMirror(std::size_t index, const JsonValue& policy);  // check_mirror.cc
  // At the end of the calm part.
  void AtTheEnd(std::size_t index, const JsonValue& autoscaler, std::int64_t replicas);
  void CompareLedgers();

  const std::string& holder() const { return holder_; }  // of the Lease
  // The longest that an evaluation of this world may be late, by what may go wrong in it.
  Nanoseconds Lateness() const { return lateness_; }
  // By which one of its clocks may be wrong.
  Nanoseconds Apart() const { return apart_; }
  std::int64_t applied() const { return applied_; }
  std::int64_t recorded() const { return recorded_; }
  std::int64_t replayed() const { return replayed_; }

 private:
  struct Span {
    Nanoseconds from;
    Nanoseconds until;
  };
  struct Up {
    Nanoseconds at;
    std::int64_t by;
    std::int64_t to;
    std::string identity;    // of the process that did it
    bool is_wish = true;     // of a metric, which the window holds; else of the fallback
    bool is_floor = false;   // whatever rate and window are
    bool in_status = false;  // that one has written a status since: whoever leads then knows of it
  };
  // What `why` said of the newest record: "... until `span` from then".
  struct Told {
    Nanoseconds at;
    Nanoseconds span;
    std::int64_t from;
    std::int64_t to;
    std::string text;
  };
  // That reached a leader.
  struct Sample {
    Nanoseconds at;
    Nanoseconds sampled;
    std::int64_t needed;
    std::string identity;
    bool concluded = false;  // its process has evaluated it
    bool kept = false;       // and remembers it, whoever leads
  };
  // The last status by which a metric gave a value, and from which disk's process it was.
  struct Valued {
    Nanoseconds at;
    int disk;
  };
  struct State {
    std::vector<std::pair<Nanoseconds, std::int64_t>> max;  // since when
    std::vector<Span> blind;
    std::vector<Up> ups;                // and scale-ins, negative
    std::optional<Nanoseconds> outage;  // since when
    Nanoseconds disturbed = 0;
    Nanoseconds delayed = 0;
    Nanoseconds anew = 0;
    Nanoseconds begun = 0;    // its evaluation; 0: it is not known when
    bool idle = false;        // right before that the operator scaled nothing, as everybody knew
    Nanoseconds subject = 0;  // since when it is this autoscaler, and a policy has this target
    std::map<std::pair<std::string, Time>, store::DecisionId> used_samples;  // by uid
    std::optional<Told> told;
    std::vector<Sample> samples;  // of the window
    std::optional<Valued> valued;
    std::vector<std::pair<Nanoseconds, std::int64_t>> seen;  // replicas since when
    std::string refused;                                     // the last patch, if it was refused
  };
  struct Decision {
    std::string name;
    std::string uid;
    std::int64_t from = 0;
    std::int64_t to = 0;
    store::Disposition disposition = store::Disposition::kNone;
    bool counted = false;  // as written
    store::DecisionAdded added;
    std::optional<Time> sample;  // the newest one's
    Span made{};                 // between these two moments
  };
  // A scaling: whose, from which count, and to which.
  using Scaling = std::pair<std::string, std::pair<std::int64_t, std::int64_t>>;
  // That no evaluation on record has had one.
  struct NoScale {
    Nanoseconds since;
    bool passed = false;  // the autoscaler was passed over meanwhile, for want of news of it
  };
  // One that was applied and is not on record as written.
  struct Write {
    Nanoseconds at;
    bool may_be_lost;
  };

  void HasOtherSubject(std::size_t index);
  void See(std::size_t index, std::int64_t replicas);
  // The sender of the write that is being applied has heard of what was edited until then. A new
  // leader lists everything anew.
  Nanoseconds HeardUntil() const;
  void CheckBounds(std::size_t index, const ScaleWrite& write);
  bool MayHaveWrongClock() const;                                   // check_edits.cc
  void CheckSuspended(std::size_t index, const ScaleWrite& write);  // check_edits.cc
  void CheckBeginning(std::size_t index, const ScaleWrite& write);  // check_edits.cc
  bool WasSilent(std::size_t index, Nanoseconds since) const;       // check_edits.cc
  bool MayBeTugOfWar(std::size_t index) const;
  void CheckFallback(std::size_t index, const ScaleWrite& write);  // check_edits.cc
  void CheckSilence(int disk, const Decision& decision,
                    const engine::Snapshot& snapshot);  // check_edits.cc
  void CheckScaleIn(std::size_t index, const ScaleWrite& write);
  void CheckSamples(std::size_t index, const ScaleWrite& write);
  std::int64_t HeldSince(std::size_t index, const Sample& sample) const;
  void CheckRate(std::size_t index, const ScaleWrite& write);
  void Added(int disk, const store::DecisionAdded& added);
  void Settled(int disk, store::DecisionId id, store::Disposition disposition,
               const std::string& error, const std::string& conclusion);
  void CheckSample(const Decision& decision);
  void CheckDecision(const Decision& decision, const engine::Snapshot& snapshot);
  void CheckTrack(const engine::Snapshot& snapshot, const Decision& decision);
  void CountWritten(int disk, Decision& decision);
  void Replay(const Decision& decision, const engine::Snapshot& snapshot,
              store::Disposition disposition, const std::string& error,
              const std::string& conclusion);
  // When what is recorded now was decided.
  Span Made(int disk) const;
  // `made`: the decision, between these two moments.
  void CheckWhy(const store::Entry& entry, const engine::Snapshot& snapshot, Span made);
  void CheckRelease(std::size_t index, const ScaleWrite& write);
  bool WasAsHigh(std::size_t index, std::int64_t count, Span made) const;
  // check_windows.cc: the bounds and holds of overrides and schedules.
  void CheckWindows(const Decision& decision, const engine::Snapshot& snapshot);
  bool KeepsRemoved(std::size_t index, const Load::Window& window, Span made) const;
  // At a moment of the span.
  bool MayCount(const Load::Window& window, const Span& span) const;
  // Whether one of them may be that bound.
  bool IsOfWindow(std::size_t index, std::int64_t count, const Span& span) const;
  // Whether one of them may have switched the target off, or be about to.
  bool MayBeOff(std::size_t index) const;
  static Nanoseconds CountedUntil(const Load& load, const Load::Window& window, Nanoseconds wall,
                                  Nanoseconds heard);
  // Whether the present count was above one at a moment of the span. Then it is cut to it, as to
  // the maximum: without metrics.
  bool MayBeAboveCeiling(std::size_t index, const Span& span) const;
  // The highest minimum, floor or pin that may count for who has heard of the edits until then.
  std::int64_t HighestFloor(std::size_t index, Nanoseconds heard) const;
  bool WasMax(std::size_t index, std::int64_t count, Span made) const;
  bool WasMin(std::size_t index, std::int64_t count, Span made) const;
  bool WasUsed(const store::Entry& entry, const std::optional<Time>& sample) const;
  bool WasDecided(const store::Entry& entry, const engine::UnsettledWrite& write) const;
  // check_counterfactuals.cc.
  void CheckCounterfactuals(std::size_t index, const explain::Explanation& why, Span made);
  bool IsSettingTrue(std::size_t index, const explain::Alternative& alternative, std::int64_t wish,
                     Span made) const;
  bool IsLoadTrue(std::size_t index, const explain::Explanation& why,
                  const explain::Alternative& alternative, Span made) const;
  Nanoseconds OldestSample(std::size_t index, Span made) const;
  // Whether it holds for what the load needed at some moment of that time.
  bool WasNeeded(std::size_t index, Nanoseconds since, Nanoseconds until,
                 const std::function<bool(std::int64_t needed)>& holds) const;
  // The newest sample's time; absent: there is none with a time.
  static std::optional<Time> SampleOf(const engine::Snapshot& snapshot);
  // Whether what happened a while before may be missing on a disk.
  bool MayLackRecords(Nanoseconds time) const;
  // The part of a count of that time that holds.
  std::int64_t Held(std::size_t index, std::int64_t count, Nanoseconds since) const;
  bool IsBlind(const State& state, Nanoseconds from, Nanoseconds until) const;
  static bool IsAboveMax(const State& state);
  static bool IsOff(const State& state) {
    return !state.seen.empty() && state.seen.back().second == 0;
  }
  // Decisions that no check needs any more.
  void Forget();

  const std::vector<Load>& loads_;
  std::vector<State> state_;
  std::optional<Failure> failure_;
  Nanoseconds disturbed_ = 0;
  Nanoseconds rate_unknown_ = 0;
  std::vector<Nanoseconds> clocks_set_;
  std::vector<Nanoseconds> lost_track_;  // another leader, or a clock that was set
  const Nanoseconds lateness_;
  const Nanoseconds landing_;  // a write that was decided is applied at most this much later
  std::string holder_;
  Nanoseconds lease_until_ = 0;
  Nanoseconds lease_since_ = 0;                    // of its present holder
  std::map<std::string, Nanoseconds> lost_lease_;  // when its holder of before lost it
  Sender sender_;                                  // of the write that is being applied
  Nanoseconds sent_ = 0;                           // that write
  const bool status_tells_;                        // of each scale-up, to whoever leads next
  const Nanoseconds outcome_known_;                // of a write, after that span
  const Nanoseconds apart_;                        // as Apart()
  const Nanoseconds record_delay_;                 // of a disk that does not fail
  std::map<int, Span> failing_;  // the last time that the disk failed, and what it left waiting
  std::map<int, Nanoseconds> may_lose_until_;               // by disk
  using DecisionKey = std::pair<int, store::DecisionId>;    // disk
  std::map<DecisionKey, Decision> decisions_;               // those that still matter
  std::deque<std::pair<Nanoseconds, DecisionKey>> forget_;  // in the order in which they came
  std::map<std::string, NoScale> no_scale_;                 // by the autoscaler's uid
  std::int64_t recorded_ = 0;
  // Evaluations by a process, by name, since when.
  std::map<std::pair<std::string, std::string>, std::pair<Nanoseconds, std::int64_t>> evaluations_;
  std::map<Scaling, std::vector<Write>> unrecorded_;
  std::int64_t applied_ = 0;
  std::int64_t replayed_ = 0;
};

}  // namespace ballast::faults
