#include "operator/process/turn_pool.h"

#include <algorithm>
#include <utility>

#include "operator/os/thread_name.h"

namespace ballast::process {

TurnPool::TurnPool(const std::string& name, std::size_t threads, Clock& clock) : clock_(clock) {
  for (std::size_t number = 0; number < threads; ++number) {
    threads_.emplace_back(
        [this, own = name + "-" + std::to_string(number)](const std::stop_token& stop) {
          os::NameThisThread(own);
          Run(stop);
        });
  }
}

TurnPool::~TurnPool() {
  for (std::jthread& thread : threads_) {
    thread.request_stop();
  }
  threads_.clear();
}

void TurnPool::Add(const void* runner, Turn turn) {
  const std::lock_guard lock(mutex_);
  entries_.try_emplace(runner, PooledRunner{.turn = std::move(turn), .due = clock_.Steady()});
  changed_.notify_all();
}

void TurnPool::Wake(const void* runner) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(runner);
  if (found == entries_.end()) {
    return;
  }
  PooledRunner& entry = found->second;
  entry.woken = true;
  if (!entry.running) {
    entry.due = std::min(entry.due, clock_.Steady());
    changed_.notify_all();
  }
}

void TurnPool::Remove(const void* runner) {
  std::unique_lock lock(mutex_);
  const auto found = entries_.find(runner);
  if (found == entries_.end()) {
    return;
  }
  PooledRunner& entry = found->second;
  lock.unlock();
  entry.stop.request_stop();  // not under the lock: it calls what may wake
  lock.lock();
  changed_.wait(lock, [&entry] { return !entry.running; });
  entries_.erase(runner);
}

TurnPool::PooledRunner* TurnPool::Next() {
  PooledRunner* next = nullptr;
  for (auto& [runner, entry] : entries_) {
    if (!entry.running && !entry.stop.stop_requested() && entry.due != SteadyTime::max() &&
        (next == nullptr || entry.due < next->due)) {
      next = &entry;
    }
  }
  return next;
}

void TurnPool::Run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  });
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    PooledRunner* const entry = Next();
    if (entry == nullptr || entry->due > clock_.Steady()) {
      clock_.WaitUntil(lock, changed_, entry == nullptr ? SteadyTime::max() : entry->due);
      continue;
    }
    entry->running = true;
    entry->woken = false;
    lock.unlock();
    const SteadyTime due = entry->turn(entry->stop.get_token());
    lock.lock();
    entry->running = false;
    // "At once" is after those that have been due for longer.
    entry->due = entry->woken ? clock_.Steady() : std::max(due, clock_.Steady());
    changed_.notify_all();
  }
}

}  // namespace ballast::process
