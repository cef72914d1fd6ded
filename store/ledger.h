// The ledger: the durable record of every decision, intent, outcome and memory. This is the
// operator's view; the command line reads the same store through history.h. The ledger folds
// records (records.h) to batches of changes (ledger_state.h), which a thread writes to a back end
// (writer.h, backend.h).
//
//   const auto intent = ledger->AppendDurably(Intended{evaluation});  // on disk when it returns
//   ... write the scale ...
//   ledger->Append(Concluded{intent.id, outcome, now, conclusion.memory, &conclusion});
//
// Scaling never waits long for the store and never stops because of it: when the disk is full or
// fails, at the start or later, the ledger continues in memory, tries again, and says so in
// health(). Records reach the disk in the order in which they were made, so the disk always has a
// prefix of them, unless too much was waiting and some history was given up.
//
// An intent is on disk before its scale is written, unless the disk fails or takes longer than
// LedgerOptions::intent_timeout. Everything else reaches the disk within commit_delay, or within
// one second if it only repeats the previous evaluation; a crash in between is equivalent to one
// just before the evaluation. See docs/store.md.
//
// The ledger reads no clock: all times are those of the records.
//
// Thread-safety: any thread, at any time; before Start returns only health(). The calls for one
// autoscaler must come in order.
// Errors: Start's, and those that AppendDurably and Flush return; afterwards health() has the
// problem.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/records.h"
#include "store/retention.h"

namespace ballast::store {

struct LedgerOptions {
  // How long a record may wait for others to share a commit with, if nobody waits for it.
  std::chrono::milliseconds commit_delay{250};
  // How long AppendDurably and Flush wait for the disk.
  std::chrono::milliseconds intent_timeout{2'000};
  // Pause between attempts while the disk fails.
  std::chrono::milliseconds retry_delay{1'000};
  // How many changes may wait for the disk before history is given up: about a minute of 5,000
  // autoscalers with noisy metrics, a few tens of MB.
  std::size_t max_changes = 20'000;
  // And about how many bytes of them, which a few changes with large snapshots may be: then these
  // go first.
  std::size_t max_bytes = std::size_t{64} << 20;
  Retention retention;
  // Called first on the thread that writes the file: a place to name it.
  std::function<void()> on_writer_thread = [] {};
};

struct LedgerHealth {
  std::optional<Error> problem;  // why records do not reach the disk at present
  std::int64_t waiting = 0;      // changes (batch.h) that are not on disk yet
  // Changes given up, or their documents: too much was waiting, or they can never be applied.
  std::int64_t dropped = 0;
  std::string set_aside;              // where a damaged store was moved to; empty: none was
  std::optional<Time> history_since;  // how far back the history reaches; absent: not known yet
};

class Ledger {
 public:
  // Opens or creates the store and becomes its only writer; call it once, before all else. A
  // damaged store is set aside (`PATH.corrupt-<time>`, see health()) and replaced by a new one. A
  // store that cannot be opened at present (no space, no permission, no such folder, failing disk)
  // is no error: the ledger opens it as soon as it can, health() has the reason, and what can be
  // read of it is known meanwhile. Errors:
  //   kConflict: another process has it open for writing (the message names its pid), also if
  //     `stop` ended the wait for that process;
  //   kInvalid: a database of another program or of a newer version, or on a network file system;
  //   kUnavailable, kFull: as above, but `stop` was requested;
  //   kCorrupt: the new store is damaged, too; kInternal: a defect.
  // After an error the ledger can still be used; it is in memory only.
  virtual Status Start(const std::stop_token& stop) = 0;

  // Tries once more to write what waits, and closes the store; what the disk refuses now is lost.
  virtual ~Ledger() = default;

  // The intents that earlier processes left without an outcome and that have not been settled
  // since, oldest first. Settle them (Concluded) before the first evaluation of their autoscalers.
  virtual std::vector<OpenIntent> OpenIntents() const = 0;

  // What is known of the autoscaler's earlier evaluations; nullopt: there were none. After a crash
  // (while the disk worked) a recommendation is as late as in an uninterrupted run, or later by at
  // most three periods and 5.5 seconds, so it never permits an earlier scale-in; last_evaluation is
  // never later than the actual one. No recommendation is later than `now`.
  virtual std::optional<RecalledState> Recall(const std::string& uid, Time now) const = 0;

  // The newest SpecSeen of the autoscaler; empty: there is none, or it cannot be read.
  virtual std::string SpecOf(const std::string& uid) const = 0;

  // Whether Append() would keep the snapshot and the conclusion of such an Evaluated now: those of
  // most are not kept.
  virtual bool KeepsDocuments(const EvaluationRecord& evaluation) const = 0;

  // Takes a record, without waiting for the disk.
  virtual void Append(const Record& record) = 0;

  // Takes an intent. `durable` is Done if it is on disk, else the reason (kTimeout: not within
  // intent_timeout). Then write the scale all the same, and report it; the record follows when the
  // disk works again.
  struct Appended {
    DecisionId id = 0;
    Status durable = Done{};
  };
  virtual Appended AppendDurably(const Intended& intended) = 0;

  // Waits until everything recorded so far is on disk, for at most intent_timeout (kTimeout); any
  // other error is why it is not.
  virtual Status Flush() = 0;

  virtual LedgerHealth health() const = 0;
};

class Backend;

// A ledger on that back end, not started yet.
std::unique_ptr<Ledger> MakeLedger(std::unique_ptr<Backend> backend, const LedgerOptions& options);

}  // namespace ballast::store
