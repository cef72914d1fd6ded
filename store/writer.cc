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

Writer::Writer(Backend& backend, const std::optional<Error>& closed, const Retention& retention,
               Hooks hooks, Pace pace)
    : backend_(backend),
      retention_(retention),
      hooks_(std::move(hooks)),
      pace_(pace),
      open_(!closed),
      problem_(closed) {
  if (closed) {
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

Writer::Ticket Writer::Add(Batch batch) {
  const std::lock_guard lock(mutex_);
  if (waiting_.changes.size() >= kMaxWaiting) {
    dropped_ += static_cast<std::int64_t>(waiting_.changes.size());
    waiting_ = {};
    overflowed_ = true;
  }
  if (waiting_.notes.entries.size() >= kMaxNoted) {
    waiting_.notes.entries.clear();
  }
  WakeAt(Clock::now() + (batch.changes.empty() ? pace_.quiet_delay : pace_.commit_delay));
  waiting_.Append(std::move(batch));
  return ++added_;
}

void Writer::AddQuietly(Batch batch) {
  const std::lock_guard lock(mutex_);
  waiting_.Append(std::move(batch));
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
  return {problem_, static_cast<std::int64_t>(waiting_.changes.size() + in_flight_), dropped_,
          set_aside_};
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
    hooks_.begin(*this);
    lock.lock();
    const Ticket newest = added_;
    Batch batch = std::exchange(waiting_, {});
    in_flight_ = batch.changes.size();
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
  if (!open_ || Clock::now() < tidy_at_) {
    return;
  }
  lock.unlock();
  const Result<bool> more = backend_.Thin(retention_, hooks_.now());
  tidy_at_ = Clock::now() + (more.ok() && *more ? kTidyPause : kTidyInterval);
  lock.lock();
  if (more.ok() && *more) {
    WakeAt(tidy_at_);
  }
}

Status Writer::Open(Batch& batch) {
  if (open_) {
    return Done{};
  }
  ASSIGN_OR_RETURN(Hooks::Joined joined, hooks_.open());
  open_ = true;
  SetAside(joined.set_aside);
  joined.batch.Append(std::move(batch));
  batch = std::move(joined.batch);
  return Done{};
}

void Writer::SetAside(const std::string& where) {
  if (!where.empty()) {
    rewrite_ = true;
    const std::lock_guard lock(mutex_);
    set_aside_ = where;
  }
}

Status Writer::Commit(Batch& batch, std::int64_t& dropped) {
  TRY(Open(batch));
  for (;;) {
    Batch with_everything;
    if (rewrite_) {
      with_everything = batch;
      with_everything.Append(hooks_.everything());
    }
    ASSIGN_OR_RETURN(const Backend::Applied applied,
                     backend_.Apply(rewrite_ ? with_everything : batch));
    if (applied.set_aside.empty()) {
      dropped = applied.dropped;
      rewrite_ = false;
      return Done{};
    }
    SetAside(applied.set_aside);
  }
}

}  // namespace ballast::store
