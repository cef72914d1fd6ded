// The one thread that writes the database: collects writes and commits them together.
//
// Writes are applied in the order of Add; what is noted for the journal goes with those of its own
// record, but all of a transaction as one. While the disk refuses, or the database cannot be opened
// at all, they wait and are tried again; when too many wait, or the database turns out to be
// damaged (twice: a page that could not be read once is not damage) and is replaced,
// Hooks::everything writes the present state anew. A write that fails by itself (a defect) is given
// up, the others go on.
//
// Thread-safety: all member functions may be called by any thread. The hooks run on the writer's
// thread, one at a time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "api/base/result.h"
#include "store/journal.h"
#include "store/open.h"
#include "store/sqlite.h"

namespace ballast::store {

class Writer {
 public:
  using Write = std::function<Status(Database&)>;
  using Writes = std::vector<Write>;
  using Ticket = std::int64_t;

  struct Hooks {
    // When the writer's thread begins.
    std::function<void()> start;
    // Before a transaction is begun; what it adds is part of that one.
    std::function<void()> begin;
    // Part of every transaction, after its writes, with what was noted.
    std::function<Status(Database&, const JournalNotes&)> last;
    // Writes all that is known now, over whatever is there.
    Write everything;
    // Now and then between transactions; short. True: there is more to do.
    std::function<Result<bool>(Database&)> tidy;
    // The database, where there is none yet, or to look at what seems damaged once more.
    std::function<Result<OpenedStore>()> open;
    // A new, empty database in place of a damaged one.
    std::function<Result<OpenedStore>()> replace;
  };

  struct Pace {
    std::chrono::milliseconds commit_delay;
    std::chrono::milliseconds quiet_delay;  // of records without a write
    std::chrono::milliseconds retry_delay;
  };

  struct State {
    std::optional<Error> problem;
    std::int64_t waiting = 0;
    std::int64_t dropped = 0;
  };

  // Without a database, because of that error, it is opened as soon as it can be.
  Writer(Result<std::unique_ptr<Database>> database, Hooks hooks, Pace pace);
  // Tries once more to write what waits.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // A record: `together` and `notes` are committed in one transaction.
  Ticket Add(Writes together, JournalNotes notes = {});
  // Commits at once, and returns when the write is on disk; or with the reason why it is not, as
  // soon as there is one, at the latest after `timeout` (kTimeout).
  Status Wait(Ticket ticket, std::chrono::milliseconds timeout);
  // Waits for everything added so far.
  Status Flush(std::chrono::milliseconds timeout);

  State state() const;

 private:
  using Clock = std::chrono::steady_clock;

  void Loop();
  struct Batch {
    std::deque<Write> writes;
    JournalNotes notes;

    bool empty() const { return writes.empty() && notes.empty(); }
    void Append(Batch later);
  };

  Status OpenDatabase();
  // Commits what it can of `batch`. `dropped`: the writes that can never succeed.
  Status Commit(const Batch& batch, std::int64_t& dropped);
  // One transaction. `dropped`: if given, writes that fail by themselves are left out and counted.
  Status Attempt(const Batch& batch, std::int64_t* dropped);
  Status Apply(const Batch& batch, std::int64_t* dropped);
  void WakeAt(Clock::time_point due);
  void Tidy(std::unique_lock<std::mutex>& lock);

  const Hooks hooks_;
  const Pace pace_;
  // The writer's thread's:
  std::unique_ptr<Database> database_;
  bool rewrite_ = false;    // `everything` is to be written
  bool suspect_ = false;    // the last tidying met damage
  bool condemned_ = false;  // damage was met twice: it is to be replaced
  Clock::time_point tidy_at_{};

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  Batch waiting_;
  std::size_t in_flight_ = 0;  // in the transaction under way
  Ticket added_ = 0;
  Ticket committed_ = 0;                  // all tickets up to this one are on disk
  std::optional<Clock::time_point> due_;  // of the next transaction; nothing to do when absent
  std::optional<Error> problem_;
  std::int64_t dropped_ = 0;
  bool overflowed_ = false;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace ballast::store
