// The only thread that writes to a back end: it collects batches and commits them together, when
// the commit queue (commit_queue.h) says so.
//
// Batches are applied in the order of Add. While the disk fails, or the store cannot be opened,
// they wait and are tried again. When too many changes wait they are given up; then, and after a
// damaged store was replaced by a new one, Hooks::everything writes the present state. A change
// that can never be applied (a defect) is given up without the others.
//
// Thread-safety: any thread; the hooks run on the writer's thread, one at a time.
// Errors: Wait and Flush return them, WriterState::problem has the present one; the writer tries
// again after any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "api/base/result.h"
#include "store/backend.h"
#include "store/fold/batch.h"
#include "store/writer/commit_queue.h"

namespace ballast::store {

class LedgerWriter {
 public:
  using Ticket = CommitQueue::Ticket;

  struct Hooks {
    // Called first on the writer's thread.
    std::function<void()> start;
    // Called before each commit, which includes what this passes to AddQuietly.
    std::function<void(LedgerWriter&)> begin;
    // The present state, for a store that may lack batches (LedgerState::Everything).
    std::function<Batch()> everything;
    // Opens a back end that could not be opened before. Its batch precedes all that waits.
    struct Joined {
      Batch batch;
      std::string set_aside;
    };
    std::function<Result<Joined>()> open;
    // The time that retention uses as now; called between commits.
    std::function<Time()> now;
  };

  struct WriterState {
    std::optional<Error> problem;
    std::int64_t waiting = 0;           // changes
    std::int64_t dropped = 0;           // changes
    std::string set_aside;              // where a damaged store was moved to; empty: none was
    std::optional<Time> history_since;  // how far back the history reaches; absent: not known yet
  };

  // `backend` must outlive the LedgerWriter, whose thread alone uses it from now on. `closed`: why
  // it is not open yet; absent: it is.
  LedgerWriter(Backend& backend, const std::optional<Error>& closed, const Retention& retention,
               Hooks hooks, CommitPace pace);
  // Tries once more to write what waits.
  ~LedgerWriter();
  LedgerWriter(const LedgerWriter&) = delete;
  LedgerWriter& operator=(const LedgerWriter&) = delete;

  // Adds the batch of a record; one transaction commits all of it.
  Ticket Add(Batch batch);
  // The same, but does not cause a commit.
  void AddQuietly(Batch batch);
  // Has the batch committed at once. Returns when it is on disk; with the problem, as soon as there
  // is one; at the latest after `timeout` (kTimeout).
  Status Wait(Ticket ticket, std::chrono::milliseconds timeout);
  // Waits for everything that was added so far.
  Status Flush(std::chrono::milliseconds timeout);

  WriterState state() const;

 private:
  using Clock = std::chrono::steady_clock;

  void Run();
  // Makes a commit. Whether the store may be tidied now.
  bool Turn();
  // Opens the back end if need be, and applies the commit. `dropped`: changes that can never be
  // applied.
  Status Carry(CommitQueue::Commit& commit, std::int64_t& dropped);
  Status Open(CommitQueue::Commit& commit);
  void SetAside(const std::string& where, CommitQueue::Commit& commit);
  void Tidy();

  Backend& backend_;
  const Retention retention_;
  const Hooks hooks_;
  // Used by the writer's thread only:
  bool open_;
  Clock::time_point tidy_at_{};

  mutable std::mutex mutex_;  // guards: everything below
  std::condition_variable changed_;
  CommitQueue queue_;
  std::string set_aside_;
  std::optional<Time> history_since_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace ballast::store
