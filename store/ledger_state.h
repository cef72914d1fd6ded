// The ledger's books: a pure fold of records to the changes that bring a store up to them.
//
//   LedgerState state;
//   Batch batch = state.Adopt(*stored);             // what a store had at the start
//   batch.Append(state.Apply(Evaluated{...}));      // ... for every record, in order
//   batch.Append(state.Beat());                     // once for every commit, last
//
// An autoscaler's life (the function of each edge):
//
//     absent --Evaluated, Refused, Intended--> one of these; --Forgotten--> absent
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
//     running, frozen: a run of evaluations goes on (AutoscalerRecord::run), and its memory is live
//     (a store's heartbeat prolongs it) or exact. attempting: no run; Concluded and Resolved keep
//     it there until the next evaluation. resting: no run, an exact memory. A refusal is a run
//     with an exact memory.
//
// Invariants (Check asserts those of what was touched, CheckAll all):
//   1. Decisions are numbered in the order in which they were made, and each DecisionAdded has a
//      greater number than all before it.
//   2. At most one run of an autoscaler goes on, with a number that was added; RunClosed comes once
//      for each, before its next DecisionAdded.
//   3. AutoscalerRecord::written is what a store has that has all batches so far: MemoryChanged
//   goes
//      from there to the present memory, and afterwards the store covers it (Covers).
//   4. What a store holds live is prolonged by no heartbeat beyond Due: everything that is live or
//      has a run is in deadlines_ at Due or earlier, and Beat makes all before the heartbeat exact.
//   5. Each open intent is an attempt, and each attempt is of a known autoscaler.
//   6. What is unsaved is in the series, and its number none that the journal has yet to come to.
//
// Thread-safety: none; one thread at a time. Failure modes: none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/base/time.h"
#include "store/autoscaler_record.h"
#include "store/batch.h"
#include "store/fleet_clock.h"
#include "store/journal.h"
#include "store/records.h"
#include "store/stored_state.h"

namespace ballast::store {

class LedgerState {
 public:
  // Goes on from what a store has; before the first record.
  Batch Adopt(StoredState stored);
  // The same, when records were already taken. Of the autoscalers that were evaluated since, this
  // knows better; open intents wait for the next start. To be applied before those.
  Batch Join(StoredState stored);

  // Whether the documents of the evaluation are kept: Apply wants them then.
  bool WantsDocuments(const Evaluation& evaluation) const;
  Batch Apply(const Record& record, PackedDocuments documents = {});

  // Part of every commit: how far the fleet has come, and what must not be prolonged by that.
  Batch Beat();
  // All that is known now, over whatever a store has; what was not applied of before is lost.
  Batch Everything();
  // The orderly end: all times exactly.
  Batch End();

  // Of the newest decision; 0: there is none.
  DecisionId newest() const { return next_id_ - 1; }
  std::vector<OpenIntent> open_intents() const { return open_intents_; }
  std::optional<Recollection> Recall(const std::string& uid, Time now) const;
  // What retention takes for now.
  Time aged() const { return clock_.aged(); }

  // Whether all invariants hold.
  bool CheckAll() const;

 private:
  // What an outcome has to know of its intent.
  struct Attempt {
    std::string uid;
    Time evaluated;
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::optional<Duration> period;  // absent: an earlier process made it
  };
  struct Deadline {
    Time time;
    std::string uid;

    bool operator>(const Deadline& other) const { return time > other.time; }
  };
  struct Step;  // applies a record

  AutoscalerRecord& FindOrAdd(const Subject& subject);
  DecisionId NewId(Time time);
  void Advance(const AutoscalerRecord& record, const Evaluation& evaluation, Batch& batch);
  void Follow(AutoscalerRecord& record, const Evaluation& evaluation, Batch& batch);
  void TrimJournal(Time now, Batch& batch);
  void Remember(AutoscalerRecord& record, MemoryImage image, Batch& batch);
  void Watch(AutoscalerRecord& record);
  void Settle(DecisionId id, const Attempt& attempt, Fate fate, Time time, Batch& batch);
  void Erase(const std::string& uid, Batch& batch);
  bool Check(const AutoscalerRecord& record) const;
  Batch Finish(Batch batch);

  std::unordered_map<std::string, AutoscalerRecord> records_;  // by uid
  Journal journal_;
  std::int64_t trimmed_ = 0;  // the journal's length when it was last trimmed
  std::unordered_map<DecisionId, Attempt> attempts_;
  std::vector<OpenIntent> open_intents_;
  DecisionId next_id_ = 0;  // 0: what the store has is not known, and there was no decision since
  FleetClock clock_;
  // When each autoscaler is due (AutoscalerRecord::Due), the earliest on top. Evaluations only move
  // that on, so an entry is looked at when its time has come, and put back if it was not the last
  // word.
  std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>> deadlines_;
};

}  // namespace ballast::store
