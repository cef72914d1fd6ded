// The ledger: every decision, intent, outcome and memory, in one SQLite file that survives any
// crash. This is the operator's view; the command line reads the same file through reader.h.
// Records (records.h) are folded to batches of changes (ledger_state.h), which a thread brings to a
// back end (writer.h, backend.h).
//
//   const auto intent = ledger->AppendDurably(Intended{evaluation});  // on disk when it returns
//   ... write the scale ...
//   ledger->Append(Concluded{intent.id, outcome, now, conclusion.memory, &conclusion});
//
// Scaling never waits long for the store and never stops because of it: when the disk is full or
// fails, from the start or later, the ledger goes on in memory, tries again, and says so in
// health(). Records wait for the disk in the order in which they were made, so whatever is on disk
// is a prefix of what happened.
//
// Two kinds of promises. An intent is on disk before its scale is written. Everything else reaches
// the disk within Options::commit_delay: a crash in between equals a crash just before the
// evaluation. docs/store.md has the whole picture.
//
// No clock is read: times are those of the evaluations. Thread-safety: all member functions may be
// called by any thread at any time, before Start returns only health(); the calls for one
// autoscaler must come in order. Failure modes: Start's; afterwards health().
#pragma once

#include <chrono>
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
  // How long a record that nobody waits for may wait for others to share a commit with.
  std::chrono::milliseconds commit_delay{250};
  // How long AppendDurably waits for the disk before it goes on without.
  std::chrono::milliseconds intent_timeout{2'000};
  // Pause between attempts while the disk refuses.
  std::chrono::milliseconds retry_delay{1'000};
  // What of the history goes.
  Retention retention;
  // The first thing that the thread does which writes the file: a place to name it.
  std::function<void()> on_writer_thread = [] {};
};

struct Health {
  std::optional<Error> problem;  // why records do not reach the disk at present
  std::int64_t waiting = 0;      // records not on disk yet
  std::int64_t dropped = 0;      // history given up because too much was waiting
  std::string set_aside;         // where damaged files were moved to; empty if none were
};

class Ledger {
 public:
  // Keeps everything in memory and nothing else, because of `problem`.
  static std::unique_ptr<Ledger> WithoutStore(Error problem);

  // Opens or creates the database and becomes its only writer; call it once, before all else. A
  // damaged database is set aside (`PATH.corrupt-<time>`, see health()) and a new one begun. Where
  // it cannot be opened at present (no space, no right, no such folder, failing disk) it is as soon
  // as it can be, health() has the reason, and what can be read of it is known meanwhile. Errors:
  //   kConflict: another process has it open for writing (the message names its pid);
  //   kInvalid: a database of another program or of a newer version, or on a network file system;
  //   kUnavailable: `stop` was requested while it waited for that process, or converted.
  // After an error the ledger may be used all the same: it keeps everything in memory and nothing
  // else.
  virtual Status Start(const std::stop_token& stop) = 0;

  // Writes what waits and closes the file; what the disk refuses now is lost.
  virtual ~Ledger() = default;

  // The intents that earlier processes left without an outcome and that are not settled since,
  // oldest first. Settle them (Concluded) before the first evaluation of their autoscalers.
  virtual std::vector<OpenIntent> OpenIntents() const = 0;

  // What is known of the autoscaler's earlier evaluations; nothing if there were none. After a
  // crash it is what an uninterrupted run would have, or later by at most three periods and a few
  // seconds: it never permits a scale-in earlier, and last_evaluation is never later than the
  // truth. No recommendation is later than `now`.
  virtual std::optional<Recollection> Recall(const std::string& uid, Time now) const = 0;

  // Takes a record; what of it is to be kept is on disk within commit_delay.
  virtual void Append(const Record& record) = 0;

  // Takes an intent. `durable` is Done once that is on disk; else (kFull, kUnavailable, kTimeout)
  // write the scale all the same, and say so: the record follows when the disk works again.
  struct Appended {
    DecisionId id = 0;
    Status durable = Done{};
  };
  virtual Appended AppendDurably(const Intended& intended) = 0;

  // Waits until everything recorded so far is on disk, at most intent_timeout.
  virtual Status Flush() = 0;

  virtual Health health() const = 0;
};

class Backend;

// A ledger of any back end, not started yet.
std::unique_ptr<Ledger> MakeLedger(std::unique_ptr<Backend> backend, const LedgerOptions& options);

}  // namespace ballast::store
