#include "store/writer/writer.h"

#include <string>
#include <utility>

namespace ballast::store {
namespace {

// Pauses between two steps of retention: while there is more to do, and while there is not.
constexpr std::chrono::milliseconds kTidyPause{20};
constexpr std::chrono::seconds kTidyInterval{10};

}  // namespace

LedgerWriter::LedgerWriter(Backend& backend, const std::optional<Error>& closed,
                           const Retention& retention, Hooks hooks, CommitPace pace)
    : backend_(backend),
      retention_(retention),
      hooks_(std::move(hooks)),
      open_(!closed),
      queue_(pace, closed, Clock::now()),
      thread_([this] { Run(); }) {}

LedgerWriter::~LedgerWriter() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

LedgerWriter::Ticket LedgerWriter::Add(Batch batch) {
  const std::lock_guard lock(mutex_);
  const auto due = queue_.due();
  const Ticket ticket = queue_.Add(std::move(batch), Clock::now());
  if (queue_.due() != due) {
    changed_.notify_all();
  }
  return ticket;
}

void LedgerWriter::AddQuietly(Batch batch) {
  const std::lock_guard lock(mutex_);
  queue_.AddQuietly(std::move(batch));
}

Status LedgerWriter::Wait(Ticket ticket, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  queue_.Schedule(Clock::now());
  changed_.notify_all();
  changed_.wait_for(lock, timeout, [&] { return queue_.IsDone(ticket) || queue_.problem(); });
  if (queue_.IsDone(ticket)) {
    return Done{};
  }
  return queue_.problem().value_or(Error{
      Code::kTimeout, "the disk has not answered for " + std::to_string(timeout.count()) + " ms"});
}

Status LedgerWriter::Flush(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  const Ticket newest = queue_.newest();
  lock.unlock();
  return Wait(newest, timeout);
}

LedgerWriter::WriterState LedgerWriter::state() const {
  const std::lock_guard lock(mutex_);
  return {queue_.problem(), queue_.waiting(), queue_.dropped(), set_aside_, history_since_};
}

void LedgerWriter::Run() {
  hooks_.start();
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto due = queue_.due();
    if (!stop_ && !due) {
      changed_.wait(lock);
    } else if (!stop_ && *due > Clock::now()) {
      changed_.wait_until(lock, *due);
    } else if (stop_ && queue_.empty()) {
      return;
    } else {
      const bool last = stop_;
      lock.unlock();
      const bool may_tidy = Turn();
      if (last) {
        return;
      }
      if (may_tidy) {
        Tidy();
      }
      lock.lock();
    }
  }
}

bool LedgerWriter::Turn() {
  hooks_.begin(*this);
  std::unique_lock lock(mutex_);
  CommitQueue::Commit commit = queue_.Begin();
  lock.unlock();
  std::int64_t dropped = 0;
  const Status carried = Carry(commit, dropped);
  lock.lock();
  if (carried.ok()) {
    queue_.Committed(commit, dropped);
  } else {
    queue_.Refused(std::move(commit), carried.error(), Clock::now());
  }
  lock.unlock();
  changed_.notify_all();
  // On a full disk, tidying makes room within the file.
  return open_ && (carried.ok() || carried.error().code == Code::kFull);
}

void LedgerWriter::Tidy() {
  if (Clock::now() < tidy_at_) {
    return;
  }
  const auto thinned = backend_.Thin(retention_, hooks_.now());
  const bool soon = thinned.ok() && thinned->more;
  tidy_at_ = Clock::now() + (soon ? kTidyPause : kTidyInterval);
  const std::lock_guard lock(mutex_);
  if (thinned.ok()) {
    history_since_ = thinned->since;
  }
  if (soon) {
    queue_.Schedule(tidy_at_);
  }
}

Status LedgerWriter::Open(CommitQueue::Commit& commit) {
  if (open_) {
    return Done{};
  }
  ASSIGN_OR_RETURN(Hooks::Joined joined, hooks_.open());
  open_ = true;
  SetAside(joined.set_aside, commit);
  joined.batch.Append(std::move(commit.batch));
  commit.batch = std::move(joined.batch);
  return Done{};
}

void LedgerWriter::SetAside(const std::string& where, CommitQueue::Commit& commit) {
  if (!where.empty()) {
    commit.everything = true;
    const std::lock_guard lock(mutex_);
    set_aside_ = where;
  }
}

Status LedgerWriter::Carry(CommitQueue::Commit& commit, std::int64_t& dropped) {
  TRY(Open(commit));
  for (;;) {
    Batch with_everything;
    if (commit.everything) {
      with_everything = commit.batch;
      with_everything.Append(hooks_.everything());
    }
    ASSIGN_OR_RETURN(const Backend::Applied applied,
                     backend_.Apply(commit.everything ? with_everything : commit.batch));
    if (applied.set_aside.empty()) {
      dropped = applied.dropped;
      return Done{};
    }
    SetAside(applied.set_aside, commit);
  }
}

}  // namespace ballast::store
