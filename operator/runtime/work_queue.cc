#include "operator/runtime/work_queue.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace ballast::runtime {

namespace {

double Seconds(std::chrono::nanoseconds span) {
  return std::chrono::duration<double>(span).count();
}

using KeysSince = std::vector<std::pair<SteadyTime, const api::ObjectKey*>>;

// As many as are shown, those that have lasted longest first.
telemetry::Shown<telemetry::KeySince> Oldest(KeysSince keys) {
  const std::size_t shown = std::min(keys.size(), telemetry::kMostShown);
  std::partial_sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(shown), keys.end(),
                    [](const auto& a, const auto& b) {
                      return std::tie(a.first, *a.second) < std::tie(b.first, *b.second);
                    });
  telemetry::Shown<telemetry::KeySince> oldest{{}, keys.size() - shown};
  for (std::size_t i = 0; i < shown; ++i) {
    oldest.items.push_back({keys[i].second->Print(), keys[i].first});
  }
  return oldest;
}

}  // namespace

WorkQueue::WorkQueue(Clock& clock, const WorkQueueOptions& options)
    : clock_(clock), options_(options) {}

void WorkQueue::Add(const api::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  AddLocked(key);
}

void WorkQueue::AddLocked(const api::ObjectKey& key) {
  if (drained_ || !dirty_.emplace(key, clock_.Steady()).second) {
    return;
  }
  options_.metrics.adds.Add();
  if (!processing_.contains(key)) {
    Enqueue(key);
  }
}

void WorkQueue::Enqueue(const api::ObjectKey& key) {
  std::deque<std::string>& names = waiting_[key.namespace_];
  if (names.empty()) {
    turns_.push_back(key.namespace_);
  }
  names.push_back(key.name);
  options_.metrics.depth.Add(1);
  wake_.notify_one();
}

api::ObjectKey WorkQueue::TakeNext() {
  std::string namespace_ = std::move(turns_.front());
  turns_.pop_front();
  const auto names = waiting_.find(namespace_);
  api::ObjectKey key{namespace_, std::move(names->second.front())};
  names->second.pop_front();
  if (names->second.empty()) {
    waiting_.erase(names);
  } else {
    turns_.push_back(std::move(namespace_));
  }
  return key;
}

void WorkQueue::AddAfter(const api::ObjectKey& key, std::chrono::nanoseconds delay) {
  const std::lock_guard lock(mutex_);
  AddAfterLocked(key, delay);
}

void WorkQueue::AddAfterLocked(const api::ObjectKey& key, std::chrono::nanoseconds delay) {
  if (drained_) {
    return;
  }
  if (delay.count() <= 0) {
    AddLocked(key);
    return;
  }
  const SteadyTime at = clock_.Steady() + delay;
  const auto [entry, added] = delayed_.emplace(key, at);
  if (!added) {
    if (entry->second <= at) {
      return;
    }
    due_.erase({entry->second, key});
    entry->second = at;
  }
  const bool earliest = due_.empty() || at < due_.begin()->first;
  due_.emplace(at, key);
  if (earliest) {
    wake_.notify_one();  // whoever waits does so for a later deadline
  }
}

void WorkQueue::AddRateLimited(const api::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  options_.metrics.retries.Add();
  const int failures = failures_[key]++;
  std::chrono::milliseconds delay = options_.failure_base;
  for (int i = 0; i < failures && delay < options_.failure_cap; ++i) {
    delay *= 2;
  }
  AddAfterLocked(key, std::min(delay, options_.failure_cap));
}

void WorkQueue::Forget(const api::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  failures_.erase(key);
}

void WorkQueue::Remove(const api::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  failures_.erase(key);
  if (const auto found = delayed_.find(key); found != delayed_.end()) {
    due_.erase({found->second, key});
    delayed_.erase(found);
  }
}

void WorkQueue::ReleaseDue() {
  const SteadyTime now = clock_.Steady();
  while (!due_.empty() && due_.begin()->first <= now) {
    const api::ObjectKey key = due_.begin()->second;
    due_.erase(due_.begin());
    delayed_.erase(key);
    AddLocked(key);
  }
}

std::optional<api::ObjectKey> WorkQueue::Get() {
  std::unique_lock lock(mutex_);
  while (true) {
    ReleaseDue();
    if (!waiting_.empty()) {
      api::ObjectKey key = TakeNext();
      const SteadyTime now = clock_.Steady();
      options_.metrics.depth.Add(-1);
      options_.metrics.waited_seconds.Observe(Seconds(now - dirty_.at(key)));
      dirty_.erase(key);
      processing_.emplace(key, now);
      // The next deadline is somebody else's to wait for.
      if (!waiting_.empty() || !due_.empty()) {
        wake_.notify_one();
      }
      return key;
    }
    if (drained_) {
      return std::nullopt;
    }
    clock_.WaitUntil(lock, wake_, due_.empty() ? SteadyTime::max() : due_.begin()->first);
  }
}

void WorkQueue::Done(const api::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  if (const auto work = processing_.extract(key)) {
    options_.metrics.worked_seconds.Observe(Seconds(clock_.Steady() - work.mapped()));
  }
  if (dirty_.contains(key)) {
    Enqueue(key);
  }
  if (processing_.empty()) {
    idle_.notify_all();
  }
}

void WorkQueue::Drain() {
  std::unique_lock lock(mutex_);
  drained_ = true;
  delayed_.clear();
  due_.clear();
  waiting_.clear();
  turns_.clear();
  dirty_.clear();
  options_.metrics.depth.Set(0);
  wake_.notify_all();
  idle_.wait(lock, [this] { return processing_.empty(); });
}

std::size_t WorkQueue::depth() const {
  const std::lock_guard lock(mutex_);
  std::size_t keys = 0;
  for (const auto& [namespace_, names] : waiting_) {
    keys += names.size();
  }
  return keys;
}

std::chrono::nanoseconds WorkQueue::LongestRunning() const {
  const std::lock_guard lock(mutex_);
  std::chrono::nanoseconds longest{0};
  for (const auto& [key, since] : processing_) {
    longest = std::max(longest, clock_.Steady() - since);
  }
  return longest;
}

telemetry::QueueInside WorkQueue::Inside() const {
  const std::lock_guard lock(mutex_);
  KeysSince waiting;
  for (const auto& [key, since] : dirty_) {
    if (!processing_.contains(key)) {
      waiting.emplace_back(since, &key);
    }
  }
  KeysSince in_work;
  for (const auto& [key, since] : processing_) {
    in_work.emplace_back(since, &key);
  }
  return {Oldest(std::move(waiting)), Oldest(std::move(in_work)), delayed_.size()};
}

void WorkQueue::TellProgress() const {
  options_.metrics.longest_seconds.Set(Seconds(LongestRunning()));
  const std::lock_guard lock(mutex_);
  std::chrono::nanoseconds all{0};
  for (const auto& [key, since] : processing_) {
    all += clock_.Steady() - since;
  }
  options_.metrics.unfinished_seconds.Set(Seconds(all));
}

}  // namespace ballast::runtime
