#include "store/writer.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace ballast::store {
namespace {

// About a minute of 5,000 autoscalers with noisy metrics, a few tens of MB.
constexpr std::size_t kMaxWaiting = 20'000;
// Five minutes of them, or some 30 MB. Of these alone nothing is lost but by a crash: the ledger
// has them, too.
constexpr std::size_t kMaxNoted = 100'000;

// Between two steps of tidying while there is more to do, and while there is nothing.
constexpr std::chrono::milliseconds kTidyPause{20};
constexpr std::chrono::seconds kTidyInterval{10};

}  // namespace

Writer::Writer(Result<std::unique_ptr<Database>> database, Hooks hooks, Pace pace)
    : hooks_(std::move(hooks)), pace_(pace) {
  if (database.ok()) {
    database_ = std::move(database).value();
  } else {
    problem_ = database.error();
    due_ = Clock::now() + pace_.retry_delay;
  }
  thread_ = std::thread([this] { Loop(); });
}

Writer::~Writer() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Writer::Batch::Append(Batch later) {
  std::ranges::move(later.writes, std::back_inserter(writes));
  notes.Append(std::move(later.notes));
}

Writer::Ticket Writer::Add(Writes together, JournalNotes notes) {
  const std::lock_guard lock(mutex_);
  if (waiting_.writes.size() >= kMaxWaiting) {
    dropped_ += static_cast<std::int64_t>(waiting_.writes.size());
    waiting_ = {};
    overflowed_ = true;
  }
  if (waiting_.notes.entries.size() >= kMaxNoted) {
    waiting_.notes.entries.clear();
  }
  WakeAt(Clock::now() + (together.empty() ? pace_.quiet_delay : pace_.commit_delay));
  std::ranges::move(together, std::back_inserter(waiting_.writes));
  waiting_.notes.Append(std::move(notes));
  return ++added_;
}

// While there is a problem only the retry delay counts: nothing is gained by trying more often.
void Writer::WakeAt(Clock::time_point due) {
  if (due_ && (problem_ || *due_ <= due)) {
    return;
  }
  due_ = due;
  changed_.notify_all();
}

Status Writer::Wait(Ticket ticket, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  WakeAt(Clock::now());
  changed_.wait_for(lock, timeout, [&] { return committed_ >= ticket || problem_.has_value(); });
  if (committed_ >= ticket) {
    return Done{};
  }
  return problem_.value_or(Error{
      Code::kTimeout, "the disk has not answered for " + std::to_string(timeout.count()) + " ms"});
}

Status Writer::Flush(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  const Ticket newest = added_;
  lock.unlock();
  return Wait(newest, timeout);
}

Writer::State Writer::state() const {
  const std::lock_guard lock(mutex_);
  return {problem_, static_cast<std::int64_t>(waiting_.writes.size() + in_flight_), dropped_};
}

void Writer::Loop() {
  hooks_.start();
  std::unique_lock lock(mutex_);
  for (;;) {
    while (!stop_ && !(due_ && *due_ <= Clock::now())) {
      if (due_) {
        changed_.wait_until(lock, *due_);
      } else {
        changed_.wait(lock);
      }
    }
    if (stop_ && waiting_.empty()) {
      return;
    }
    const bool last_try = stop_;
    due_.reset();
    lock.unlock();
    hooks_.begin();
    lock.lock();
    const Ticket newest = added_;
    Batch batch = std::exchange(waiting_, {});
    in_flight_ = batch.writes.size();
    rewrite_ |= std::exchange(overflowed_, false);
    lock.unlock();
    std::int64_t dropped = 0;
    const Status committed = Commit(batch, dropped);
    lock.lock();
    in_flight_ = 0;
    dropped_ += dropped;
    if (committed.ok()) {
      committed_ = newest;
      problem_.reset();
    } else {
      batch.Append(std::exchange(waiting_, {}));
      waiting_ = std::move(batch);
      problem_ = committed.error();
      due_ = Clock::now() + pace_.retry_delay;
    }
    changed_.notify_all();
    if (last_try) {
      return;
    }
    // On a full disk it makes room within the file.
    if (committed.ok() || committed.error().code == Code::kFull) {
      Tidy(lock);
    }
  }
}

void Writer::Tidy(std::unique_lock<std::mutex>& lock) {
  if (!database_ || Clock::now() < tidy_at_) {
    return;
  }
  lock.unlock();
  const Result<bool> more = hooks_.tidy(*database_);
  const bool damaged = !more.ok() && more.error().code == Code::kCorrupt;
  if (damaged) {
    database_.reset();  // the next transaction opens it again
    condemned_ = suspect_;
  }
  suspect_ = damaged;
  tidy_at_ = Clock::now() + (more.ok() && *more ? kTidyPause : kTidyInterval);
  lock.lock();
  if (more.ok() && *more) {
    WakeAt(tidy_at_);
  }
}

Status Writer::OpenDatabase() {
  if (database_) {
    return Done{};
  }
  ASSIGN_OR_RETURN(OpenedStore opened, condemned_ ? hooks_.replace() : hooks_.open());
  condemned_ = false;
  database_ = std::move(opened.database);
  rewrite_ |= !opened.set_aside.empty();
  return Done{};
}

Status Writer::Commit(const Batch& batch, std::int64_t& dropped) {
  int damaged = 0;
  bool each_alone = false;
  for (;;) {
    dropped = 0;
    Status committed = OpenDatabase();
    if (committed.ok()) {
      committed = Attempt(batch, each_alone ? &dropped : nullptr);
    }
    if (committed.ok()) {
      return committed;
    }
    const Code code = committed.error().code;
    if (code == Code::kCorrupt && damaged < 2) {
      database_.reset();
      condemned_ = ++damaged == 2;
    } else if (code == Code::kInternal && !each_alone) {
      each_alone = true;  // rarely needed, and not free
    } else {
      dropped = 0;
      return committed;
    }
  }
}

Status Writer::Attempt(const Batch& batch, std::int64_t* dropped) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(*database_));
  TRY(Apply(batch, dropped));
  if (rewrite_) {
    TRY(hooks_.everything(*database_));
  }
  TRY(hooks_.last(*database_, batch.notes));
  TRY(transaction.Commit());
  rewrite_ = false;
  return Done{};
}

Status Writer::Apply(const Batch& batch, std::int64_t* dropped) {
  for (const Write& write : batch.writes) {
    if (dropped == nullptr) {
      TRY(write(*database_));
      continue;
    }
    ASSIGN_OR_RETURN(Savepoint savepoint, Savepoint::Begin(*database_));
    const Status applied = write(*database_);
    if (applied.ok()) {
      TRY(savepoint.Keep());
    } else if (applied.error().code == Code::kInternal) {
      ++*dropped;
    } else {
      return applied;
    }
  }
  return Done{};
}

}  // namespace ballast::store
