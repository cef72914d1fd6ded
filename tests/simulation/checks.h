// The invariants of DESIGN as a person outside of the operator sees them: from what the API server
// applied, from the loads, and from what the ledgers recorded. Nothing here asks the operator.
//
//   bounds       a count outside of minReplicas and maxReplicas is never applied
//   lease        no write is sent while another replica holds the Lease
//   fence        the status memory of an earlier term never replaces that of a later one
//   refused      no write is refused twice because of the same outdated count
//   metrics      no scale-in while the metric fails
//   early        no scale-in below what the load of the last window needed (the twin: an
//                undisturbed operator would have seen that load), nor below what was scaled up to
//                within the window, by whichever replica
//   late         what the load needs is there one window and two periods after the last disturbance
//   rate         no more is added in half a minute than the policy allows in one
//   sample       one sample justifies one scale-up
//   replay       every record, decided again, comes out as recorded
//   why          what `ballast why` says of a record is so in the model (check_why.cc,
//                check_counterfactuals.cc)
//   memory       what is remembered of a policy is bounded
//   ledger       writes applied and writes recorded are the same, at the end
//
// Thread-safety: one thread.
// Errors: the first violation is kept.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/decision/snapshot.h"
#include "operator/explain/explanation.h"
#include "store/batch.h"
#include "store/history.h"
#include "tests/simulation/api_server.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/load_curve.h"

namespace ballast::simulation {

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
  void ClockSet() { clocks_set_.push_back(Fibers::Get().now()); }
  // The rate is not checked across changes of leaders and clocks.
  void LoseRate(Nanoseconds until) { rate_unknown_ = std::max(rate_unknown_, until); }
  // The load of that time cannot be seen.
  void Blind(std::size_t index, Nanoseconds from, Nanoseconds until);
  // A policy is made anew: nothing is known of the past.
  void Anew(std::size_t index);
  void SetMax(std::size_t index, std::int64_t max);
  void OutageBegins(std::size_t index);
  void OutageEnds(std::size_t index);
  bool InOutage(std::size_t index) const { return state_[index].outage.has_value(); }

  // ---- What the operator does
  void LeaseIs(const std::string& holder);
  void Sends(const std::string& identity, const std::string& what);
  void Applied(std::size_t index, const ScaleWrite& write);
  // By whomever.
  void Scaled(std::size_t index, std::int64_t replicas);
  void Refused(std::size_t index, const std::string& patch);
  void StatusWritten(std::size_t index, const JsonValue& before, const JsonValue& patch);
  void Recorded(int disk, const store::Change& change);
  // A disk refuses what is to be recorded, which comes later or is lost.
  void DiskFails(int disk);
  // Some of a disk's records may be lost.
  void MayLoseRecords() { records_may_be_lost_ = true; }
  // Every few seconds.
  void Look(std::size_t index, std::int64_t replicas);
  // At the end of the calm part.
  void AtTheEnd(std::size_t index, std::int64_t replicas);
  void CompareLedgers();

  const std::string& holder() const { return holder_; }  // of the Lease
  // The longest that an evaluation of this world may be late.
  Nanoseconds Lateness() const { return lateness_; }
  std::int64_t applied() const { return applied_; }
  std::int64_t recorded() const { return static_cast<std::int64_t>(decisions_.size()); }
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
  };
  // What `why` said of the newest record: "... until `span` from then".
  struct Told {
    Nanoseconds at;
    Nanoseconds span;
    std::int64_t from;
    std::int64_t to;
    std::string text;
  };
  struct State {
    std::vector<std::pair<Nanoseconds, std::int64_t>> max;  // since when
    std::vector<Span> blind;
    std::vector<Up> ups;                // and scale-ins, negative
    std::optional<Nanoseconds> outage;  // since when
    Nanoseconds disturbed = 0;
    Nanoseconds anew = 0;
    std::map<std::string, store::DecisionId> used_samples;
    std::optional<Told> told;
    std::vector<std::pair<Nanoseconds, std::int64_t>> seen;  // replicas since when
    std::string refused;                                     // the last patch, if it was refused
  };
  struct Decision {
    std::string name;
    std::string uid;
    std::int64_t from = 0;
    std::int64_t to = 0;
    store::Fate fate = store::Fate::kNone;
    bool counted = false;  // as written
    store::DecisionAdded added;
    std::string sample;  // the newest sample's time
    Span made{};         // between these two moments
  };
  using Count = std::map<std::pair<std::string, std::pair<std::int64_t, std::int64_t>>, int>;

  void See(std::size_t index, std::int64_t replicas);
  void CheckBounds(std::size_t index, const ScaleWrite& write);
  void CheckScaleIn(std::size_t index, const ScaleWrite& write);
  void CheckRate(std::size_t index, const ScaleWrite& write);
  void Added(int disk, const store::DecisionAdded& added);
  void Settled(int disk, store::DecisionId id, store::Fate fate, const std::string& error,
               const std::string& conclusion);
  void CheckSample(const Decision& decision);
  void CountWritten(Decision& decision);
  void Replay(const Decision& decision, store::Fate fate, const std::string& error,
              const std::string& conclusion);
  // When what is recorded now was decided.
  Span Made(int disk) const;
  // `made`: the decision, between these two moments.
  void CheckWhy(const store::Entry& entry, const std::string& snapshot, Span made);
  void CheckRelease(std::size_t index, const ScaleWrite& write);
  bool WasAsHigh(std::size_t index, std::int64_t count, Span made) const;
  bool WasMax(std::size_t index, std::int64_t count, Span made) const;
  bool WasUsed(const store::Entry& entry, const std::string& sample) const;
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
  // The newest sample's time; empty: there is none with a time.
  static std::string SampleOf(const engine::Snapshot& snapshot);
  // The part of a count of that time that holds.
  std::int64_t Held(std::size_t index, std::int64_t count, Nanoseconds since) const;
  bool IsBlind(const State& state, Nanoseconds from, Nanoseconds until) const;

  const std::vector<Load>& loads_;
  std::vector<State> state_;
  std::optional<Failure> failure_;
  Nanoseconds disturbed_ = 0;
  Nanoseconds rate_unknown_ = 0;
  std::vector<Nanoseconds> clocks_set_;
  Nanoseconds lateness_;
  std::string holder_;
  bool records_may_be_lost_ = false;
  const Nanoseconds record_delay_;  // of a disk that does not fail
  std::map<int, Span> failing_;     // the last time that the disk failed, and what it left waiting
  std::map<std::pair<int, store::DecisionId>, Decision> decisions_;
  Count applied_writes_;
  Count written_;  // as on record
  std::int64_t applied_ = 0;
  std::int64_t replayed_ = 0;
};

}  // namespace ballast::simulation
