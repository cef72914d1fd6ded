#include "operator/runtime/work_queue.h"

namespace ballast::runtime {

// A worker that wakes later than a key can be taken must wait anew. Each wake-up is two switches of
// threads, so that the others sleep on.
void WorkQueue::WakeWorkerFor(process::SteadyTime at) {
  if (!wakes_.empty() && (at == process::SteadyTime::min() || at < *wakes_.begin())) {
    wake_.notify_one();
  }
}

// Wakes Drain() if no key is in work.
template <typename Change>
void WorkQueue::Update(const Change& change) {
  const std::lock_guard lock(mutex_);
  change(clock_.Steady());
  WakeWorkerFor(keys_.WakeAt());
  if (keys_.idle()) {
    idle_.notify_all();
  }
}

void WorkQueue::Add(const api::ObjectReference& key) {
  Update([&](process::SteadyTime now) { keys_.Add(key, now); });
}

void WorkQueue::AddAfter(const api::ObjectReference& key, std::chrono::nanoseconds delay,
                         Urgency urgency, std::chrono::nanoseconds patience) {
  Update([&](process::SteadyTime now) { keys_.AddAfter(key, delay, now, urgency, patience); });
}

void WorkQueue::AddRateLimited(const api::ObjectReference& key) {
  Update([&](process::SteadyTime now) { keys_.AddRateLimited(key, now); });
}

void WorkQueue::Forget(const api::ObjectReference& key) {
  const std::lock_guard lock(mutex_);
  keys_.Forget(key);
}

void WorkQueue::Remove(const api::ObjectReference& key) {
  const std::lock_guard lock(mutex_);
  keys_.Remove(key);
}

void WorkQueue::Done(const api::ObjectReference& key) {
  Update([&](process::SteadyTime now) { keys_.Done(key, now); });
}

void WorkQueue::Resume(const api::ObjectReference& key) {
  Update([&](process::SteadyTime) { keys_.Resume(key); });
}

std::optional<api::ObjectReference> WorkQueue::Get() {
  std::unique_lock lock(mutex_);
  while (true) {
    KeyQueue::Next next = keys_.Take(clock_.Steady());
    if (next.key) {
      WakeWorkerFor(next.wake_at);  // another takes the next key, or waits for it
      return next.key;
    }
    if (keys_.closed()) {
      return std::nullopt;
    }
    const auto sleeper = wakes_.insert(next.wake_at);
    clock_.WaitUntil(lock, wake_, next.wake_at);
    wakes_.erase(sleeper);
  }
}

void WorkQueue::Close() {
  const std::lock_guard lock(mutex_);
  keys_.Close();
  wake_.notify_all();
  idle_.notify_all();
}

void WorkQueue::Drain() {
  Close();
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return keys_.idle(); });
}

bool WorkQueue::IsAddedAgain(const api::ObjectReference& key) const {
  const std::lock_guard lock(mutex_);
  return keys_.IsAddedAgain(key);
}

std::size_t WorkQueue::depth() const {
  const std::lock_guard lock(mutex_);
  return keys_.depth();
}

std::chrono::nanoseconds WorkQueue::LongestRunning() const {
  const std::lock_guard lock(mutex_);
  return keys_.LongestRunning(clock_.Steady());
}

telemetry::QueueDebugState WorkQueue::DebugState() const {
  const std::lock_guard lock(mutex_);
  return keys_.DebugState();
}

void WorkQueue::TellProgress() const {
  const std::lock_guard lock(mutex_);
  keys_.TellProgress(clock_.Steady());
}

}  // namespace ballast::runtime
