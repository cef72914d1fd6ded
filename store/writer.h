// The one thread that writes a back end: collects batches and commits them together.
//
// Batches are applied in the order of Add. While the disk refuses, or the store cannot be opened at
// all, they wait and are tried again; when too much waits, or the store turns out to be damaged and
// is a new one, Hooks::everything brings it the present state anew. A change that can never be
// applied (a defect) is given up, the others go on.
//
// Thread-safety: all member functions may be called by any thread. The hooks run on the writer's
// thread, one at a time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "api/base/result.h"
#include "store/backend.h"
#include "store/batch.h"

namespace ballast::store {

class Writer {
 public:
  using Ticket = std::int64_t;

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

  struct Pace {
    std::chrono::milliseconds commit_delay;
    std::chrono::milliseconds quiet_delay;  // of batches without a change
    std::chrono::milliseconds retry_delay;
  };

  struct State {
    std::optional<Error> problem;
    std::int64_t waiting = 0;
    std::int64_t dropped = 0;
    std::string set_aside;  // where a damaged store was moved to; empty: none was
  };

  // `backend` must outlive this, and is its thread's from now on. `closed`: why it is not open yet.
  Writer(Backend& backend, const std::optional<Error>& closed, const Retention& retention,
         Hooks hooks, Pace pace);
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

  void Loop();
  // Commits `batch`, to which it may add what goes before. `dropped`: changes that can never be
  // applied.
  Status Commit(Batch& batch, std::int64_t& dropped);
  Status Open(Batch& batch);
  void SetAside(const std::string& where);
  void WakeAt(Clock::time_point due);
  void Tidy(std::unique_lock<std::mutex>& lock);

  Backend& backend_;
  const Retention retention_;
  const Hooks hooks_;
  const Pace pace_;
  // The writer's thread's:
  bool open_;
  bool rewrite_ = false;  // `everything` is to be written
  Clock::time_point tidy_at_{};

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  Batch waiting_;
  std::size_t in_flight_ = 0;  // in the commit under way
  Ticket added_ = 0;
  Ticket committed_ = 0;                  // all tickets up to this one are on disk
  std::optional<Clock::time_point> due_;  // of the next commit; nothing to do when absent
  std::optional<Error> problem_;
  std::int64_t dropped_ = 0;
  std::string set_aside_;
  bool overflowed_ = false;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace ballast::store
