// One attempt to write a scale, from its intent until it is settled.
//
// An attempt is sent once, within kLongestWait of its intent. If the answer says neither that the
// scale was written nor that it was refused, the scale itself shows the outcome, at the latest
// kSettleTime after the sending: a write that has not arrived by then never will. Until an attempt
// is settled nothing else is written to its target.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "api/kubernetes/preconditions.h"
#include "operator/process/clock.h"
#include "store/records.h"

namespace ballast::session {

// The API server gives a write up after its `timeout=` of 5 s (two thirds of the client's 7.5 s);
// what it has passed to etcd by then may still take a few seconds.
inline constexpr std::chrono::seconds kSettleTime{10};

// A write that has waited longer in the queue is not sent, because the view that it was decided
// from is too old.
inline constexpr std::chrono::seconds kLongestWait{5};

// How long the ledger may take to record an intent before the write waits for its turn
// (LedgerOptions::intent_timeout).
inline constexpr std::chrono::seconds kLongestIntent{2};

// Until an attempt with an unknown outcome is looked at again.
inline constexpr Duration kLookAgain = Duration::Seconds(2);

struct Attempt {
  store::DecisionId id = 0;
  std::shared_ptr<const engine::Snapshot> snapshot;  // never null
  engine::Decision decision;
  api::ScaleChange change;
  process::SteadyTime deadline;   // it has arrived by then, or never will
  bool left_over = false;         // by an earlier process: other replicas may have led since
  bool unsent = false;            // something overtook it, which is no failure
  process::SteadyTime sent = {};  // not before this, by this process
};

// An autoscaler's unsettled attempts, oldest first.
class Attempts {
 public:
  explicit Attempts(std::vector<Attempt> left_over = {}) : attempts_(std::move(left_over)) {}

  bool empty() const { return attempts_.empty(); }
  std::size_t size() const { return attempts_.size(); }
  const Attempt& operator[](std::size_t index) const { return attempts_[index]; }
  const Attempt& newest() const { return attempts_.back(); }

  void Begin(Attempt attempt);
  // Records when the newest attempt was sent.
  void Sent(process::SteadyTime at);
  Attempt End(std::size_t index);

 private:
  std::vector<Attempt> attempts_;
};

}  // namespace ballast::session
