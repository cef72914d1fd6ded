// The one thread that writes a back end. It carries out what the commit queue (commit_queue.h) says
// is due: collects batches and commits them together.
//
// Batches are applied in the order of Add. While the disk refuses, or the store cannot be opened at
// all, they wait and are tried again; when too much waits, or the store turns out to be damaged and
// is replaced by a new one, Hooks::everything yields the present state, which is written anew. A
// change that can never be applied (a defect) is given up; the others go on.
//
// Thread-safety: all member functions may be called by any thread. The hooks run on the writer's
// thread, one at a time.
// Errors: those of the back end. Wait and Flush return them; a commit that failed is tried again.
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
#include "store/batch.h"
#include "store/commit_queue.h"

namespace ballast::store {

class Writer {
 public:
  using Ticket = CommitQueue::Ticket;

  struct Hooks {
    // When the writer's thread begins.
    std::function<void()> start;
    // Before each commit; what it gives to AddQuietly is part of that one.
    std::function<void(Writer&)> begin;
    // All that is known now, over whatever is there.
    std::function<Batch()> everything;
    // Opens a back end that could not be opened before. What it yields goes before all that waits.
    struct Joined {
      Batch batch;
      std::string set_aside;
    };
    std::function<Result<Joined>()> open;
    // Now and then between commits: what retention takes for now.
    std::function<Time()> now;
  };

  struct State {
    std::optional<Error> problem;
    std::int64_t waiting = 0;
    std::int64_t dropped = 0;
    std::string set_aside;  // where a damaged store was moved to; empty: none was
  };

  // `backend` must outlive this, and is its thread's from now on. `closed`: why it is not open yet.
  Writer(Backend& backend, const std::optional<Error>& closed, const Retention& retention,
         Hooks hooks, CommitPace pace);
  // Tries once more to write what waits.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // A record's, committed in one transaction.
  Ticket Add(Batch batch);
  // The same, for what is no reason for a commit of its own.
  void AddQuietly(Batch batch);
  // Commits at once, and returns when the batch is on disk; or with the reason why it is not, as
  // soon as there is one, at the latest after `timeout` (kTimeout).
  Status Wait(Ticket ticket, std::chrono::milliseconds timeout);
  // Waits for everything added so far.
  Status Flush(std::chrono::milliseconds timeout);

  State state() const;

 private:
  using Clock = std::chrono::steady_clock;

  void Run();
  void Turn();
  // Opens the back end if need be, and applies the commit. `dropped`: changes that can never be
  // applied.
  Status Carry(CommitQueue::Commit& commit, std::int64_t& dropped);
  Status Open(CommitQueue::Commit& commit);
  void SetAside(const std::string& where, CommitQueue::Commit& commit);
  void Tidy();

  Backend& backend_;
  const Retention retention_;
  const Hooks hooks_;
  // The writer's thread's:
  bool open_;
  Clock::time_point tidy_at_{};

  mutable std::mutex mutex_;  // guards: everything below
  std::condition_variable changed_;
  CommitQueue queue_;
  std::string set_aside_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace ballast::store
