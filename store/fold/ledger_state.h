// The ledger's state: a pure fold of records to the changes that bring a store up to date.
//
//   LedgerState state;
//   Batch batch = state.Adopt(*stored);             // what the store has at the start
//   batch.Append(state.Apply(Evaluated{...}));      // ... for every record, in order
//   batch.Append(state.Beat());                     // once for every commit, last
//
// The states of an autoscaler, and the record or function that causes each transition:
//
//     absent --Evaluated, Refused, Intended--> one of these; --Forgotten, OthersForgotten--> absent
//     (SpecSeen may come first: it makes a record that rests, without a memory.)
//
//     +---------+  Beat: late   +--------+  Beat: nothing under way   +---------+
//     | running |-------------->| frozen |--------------------------->| resting |<-- Adopt
//     +---------+<--Evaluated---+--------+                            +---------+
//       |     ^ ^                                                       |     |
//       |     | +--------------------------Evaluated--------------------+     |
//       |  Evaluated                                                          |
//       |     |                                                               |
//       |   +------------+                                                    |
//       +-->| attempting |<----------------------Intended---------------------+
//  Intended +------------+  Concluded: the memory of the attempt, live
//
//     running, frozen: a run is open (AutoscalerRecord::run); the memory is live (the heartbeat in
//     the store extends it) or exact. attempting: no run; Concluded and Resolved keep it there
//     until the next evaluation. resting: no open run, an exact memory. A refusal is a run with an
//     exact memory.
//
// Invariants (Apply and Beat assert 2, 3, 4 and 6 of the record that changed; CheckAll also 5):
//   1. Decisions are numbered in the order in which they were made: each DecisionAdded has a
//      greater number than all before it.
//   2. An autoscaler has at most one open run, whose number was added; RunClosed or OpenRunsClosed
//      ends each run, before the autoscaler's next DecisionAdded. Until then RunReopened may open a
//      closed one again.
//   3. AutoscalerRecord::written is the memory in a store that has applied all batches so far:
//      MemoryChanged leads from it to the present memory, which the store then covers (Covers).
//   4. No heartbeat extends a live memory in a store beyond Due: all that is live or has a run is
//      in deadlines_ at Due or earlier, and Beat makes whatever is due before the heartbeat exact.
//   5. Each open intent is an attempt, and each attempt belongs to a known autoscaler.
//   6. Unsaved evaluations are in the series; their first number is at most the journal's next.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/base/time.h"
#include "store/fold/autoscaler_record.h"
#include "store/fold/batch.h"
#include "store/fold/fleet_clock.h"
#include "store/fold/stored_state.h"
#include "store/packing/journal.h"
#include "store/records.h"

namespace ballast::store {

class LedgerState {
 public:
  // Continues from what a store has; before the first record.
  Batch Adopt(StoredState stored);
  // The same after the first record. The memory of autoscalers that were evaluated meanwhile takes
  // precedence over the store's; open intents wait for the next start. Apply the result before the
  // batches of those records.
  Batch Join(StoredState stored);

  // Whether Apply needs the documents of the evaluation, which are kept then.
  bool WantsDocuments(const EvaluationRecord& evaluation) const;
  Batch Apply(const Record& record, PackedDocuments documents = {});

  // Part of every commit: the heartbeat, and the exact times of what it must not extend.
  Batch Beat();
  // For a store that has not applied all batches, or is a new one: ends its runs and replaces its
  // memories by the present ones. What those batches had of history is lost.
  Batch Everything();
  // The orderly end: writes all times exactly.
  Batch End();

  // The number of the newest decision; 0: there is none.
  DecisionId newest() const { return next_id_ - 1; }
  std::vector<OpenIntent> open_intents() const { return open_intents_; }
  std::optional<RecalledState> Recall(const std::string& uid, Time now) const;
  // The autoscaler's spec as last seen, packed; empty: not known.
  std::string SpecOf(const std::string& uid) const;
  // The time that retention uses as now (FleetClock).
  Time aged() const { return clock_.aged(); }

  // Whether invariants 2 to 6 hold, as far as this state shows it.
  bool CheckAll() const;

 private:
  // What is known of an intent when its outcome arrives.
  struct PendingIntent {
    std::string uid;
    Time evaluated;
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::optional<Duration> period;  // absent: an earlier process made it
    bool incomplete = false;         // the memory that it leaves
  };
  struct Deadline {
    Time time;
    std::string uid;

    bool operator>(const Deadline& other) const { return time > other.time; }
  };
  struct RecordApplier;  // applies a record

  AutoscalerRecord& FindOrAdd(const Subject& subject);
  DecisionId NewId(Time time);
  void Advance(const AutoscalerRecord& record, const EvaluationRecord& evaluation, Batch& batch);
  void Follow(AutoscalerRecord& record, const EvaluationRecord& evaluation, Batch& batch);
  void TrimJournal(Time now, Batch& batch);
  void Remember(AutoscalerRecord& record, MemoryImage image, Batch& batch);
  void Watch(AutoscalerRecord& record);
  void Settle(DecisionId id, const PendingIntent& attempt, Disposition disposition, Time time,
              Batch& batch);
  void Erase(const std::string& uid, Batch& batch);
  bool Check(const AutoscalerRecord& record) const;
  Batch Finish(Batch batch);

  std::unordered_map<std::string, AutoscalerRecord> records_;  // by uid
  Journal journal_;
  std::int64_t trimmed_ = 0;  // the journal's next number when it was last trimmed
  std::unordered_map<DecisionId, PendingIntent> attempts_;
  std::vector<OpenIntent> open_intents_;
  DecisionId next_id_ = 0;  // 0: the store has not been read, and there was no decision
  FleetClock clock_;
  // When each autoscaler is due (AutoscalerRecord::Due), the earliest on top. Evaluations normally
  // make that later and leave the entry as it is: Beat looks at it when its time has come, and adds
  // another if the autoscaler is due later.
  std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>> deadlines_;
};

}  // namespace ballast::store
