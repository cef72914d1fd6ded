// What waits for the next commit, and when that is due: the rules of the writer (writer.h), without
// a thread, a lock, a clock or a back end.
//
//   Add ..., Add ...        batches in order; each makes a commit due, after a delay
//   Begin                   takes all that waits; a commit is under way
//   Committed | Refused     its end; what was refused waits again, before what came meanwhile
//
// Invariants (1 is asserted, all are tested):
//   1. At most one commit is under way.
//   2. A ticket is settled when every batch up to its own is on disk, or was thrown away because
//      too much waited.
//   3. While there is a problem, only the retry delay makes a commit due.
//   4. Changes that were thrown away are made good: the next commit that succeeds writes the
//      present state, too.
//
// Thread-safety: none; the caller serializes calls.
// Errors: none of its own. It keeps the writer's until a commit succeeds.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "api/base/result.h"
#include "store/fold/batch.h"

namespace ballast::store {

// How long batches are collected before they are committed together.
struct CommitPace {
  std::chrono::milliseconds commit_delay;
  std::chrono::milliseconds quiet_delay;  // of batches without a change
  std::chrono::milliseconds retry_delay;
  std::size_t max_changes;  // that wait
  std::size_t max_bytes;    // of those changes, about
};

class CommitQueue {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Ticket = std::int64_t;

  // Notes that wait at most: five minutes of the same, some 30 MB. The ledger has them, too, so
  // that only a crash can lose those that are thrown away.
  static constexpr std::size_t kMaxNotes = 100'000;

  // `problem`: why there is no store yet; the first commit is then due after the retry delay.
  CommitQueue(CommitPace pace, const std::optional<Error>& problem, TimePoint now);

  Ticket Add(Batch batch, TimePoint now);
  // Makes no commit due.
  void AddQuietly(Batch batch);
  // Makes a commit due at `when`, unless one is due earlier.
  void Schedule(TimePoint when);

  struct Commit {
    Batch batch;
    Ticket newest = 0;        // settled by this commit
    bool everything = false;  // the present state is to be written, too
  };
  Commit Begin();
  // `dropped`: changes that can never be applied.
  void Committed(const Commit& commit, std::int64_t dropped);
  void Refused(Commit commit, const Error& why, TimePoint now);

  // When the next commit is due; absent: there is nothing to do.
  std::optional<TimePoint> due() const { return due_; }
  bool empty() const { return waiting_.empty(); }
  Ticket newest() const { return added_; }
  bool IsDone(Ticket ticket) const { return settled_ >= ticket; }
  const std::optional<Error>& problem() const { return problem_; }
  // Changes: those that wait and those of the commit under way.
  std::int64_t waiting() const;
  std::int64_t dropped() const { return dropped_; }

 private:
  // First the documents go, which may be large, then everything.
  void MakeRoom();

  const CommitPace pace_;
  Batch waiting_;
  std::size_t bytes_ = 0;                 // of its changes
  std::optional<std::size_t> under_way_;  // changes of the commit
  Ticket added_ = 0;
  Ticket settled_ = 0;
  std::optional<TimePoint> due_;
  std::optional<Error> problem_;
  std::int64_t dropped_ = 0;
  bool everything_ = false;
};

}  // namespace ballast::store
