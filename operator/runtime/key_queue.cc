#include "operator/runtime/key_queue.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace ballast::runtime {

namespace {

double Seconds(std::chrono::nanoseconds span) {
  return std::chrono::duration<double>(span).count();
}

using KeysSince = std::vector<std::pair<process::SteadyTime, const api::ObjectReference*>>;

// The kMostShown keys that have lasted longest, the longest first.
telemetry::Shown<telemetry::KeySince> Oldest(KeysSince keys, const WorkQueueOptions& options) {
  const std::size_t shown = std::min(keys.size(), telemetry::kMostShown);
  std::partial_sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(shown), keys.end(),
                    [](const auto& a, const auto& b) {
                      return std::tie(a.first, *a.second) < std::tie(b.first, *b.second);
                    });
  telemetry::Shown<telemetry::KeySince> oldest{{}, keys.size() - shown};
  for (std::size_t i = 0; i < shown; ++i) {
    oldest.items.push_back({options.name_of(*keys[i].second), keys[i].first});
  }
  return oldest;
}

}  // namespace

void KeyQueue::Add(const api::ObjectReference& key, process::SteadyTime now) {
  if (closed_ || !dirty_.emplace(key, now).second) {
    return;
  }
  options_.metrics.adds.Add();
  if (!processing_.contains(key)) {
    Enqueue(key);
  }
}

void KeyQueue::Enqueue(const api::ObjectReference& key) {
  waiting_.Push(key.namespace_, key);
  options_.metrics.depth.Add(1);
}

void KeyQueue::AddAfter(const api::ObjectReference& key, std::chrono::nanoseconds delay,
                        process::SteadyTime now) {
  if (closed_) {
    return;
  }
  if (delay.count() <= 0) {
    Add(key, now);
    return;
  }
  const process::SteadyTime at = now + delay;
  const auto [entry, added] = delayed_.emplace(key, at);
  if (!added) {
    if (entry->second <= at) {
      return;
    }
    due_.erase({entry->second, key});
    entry->second = at;
  }
  due_.emplace(at, key);
}

void KeyQueue::AddRateLimited(const api::ObjectReference& key, process::SteadyTime now) {
  options_.metrics.retries.Add();
  const int failures = failures_[key]++;
  std::chrono::milliseconds delay = options_.failure_base;
  for (int i = 0; i < failures && delay < options_.failure_cap; ++i) {
    delay *= 2;
  }
  AddAfter(key, std::min(delay, options_.failure_cap), now);
}

void KeyQueue::Remove(const api::ObjectReference& key) {
  failures_.erase(key);
  if (const auto found = delayed_.find(key); found != delayed_.end()) {
    due_.erase({found->second, key});
    delayed_.erase(found);
  }
}

void KeyQueue::ReleaseDue(process::SteadyTime now) {
  while (!due_.empty() && due_.begin()->first <= now) {
    const api::ObjectReference key = due_.begin()->second;
    due_.erase(due_.begin());
    delayed_.erase(key);
    Add(key, now);
  }
}

KeyQueue::Next KeyQueue::Take(process::SteadyTime now) {
  ReleaseDue(now);
  if (!resumed_.empty()) {
    api::ObjectReference key = std::move(resumed_.front());
    resumed_.pop_front();
    return {std::move(key), WakeAt()};
  }
  if (waiting_.empty()) {
    return {std::nullopt, WakeAt()};
  }
  api::ObjectReference key = waiting_.Pop();
  options_.metrics.depth.Add(-1);
  options_.metrics.waited_seconds.Observe(Seconds(now - dirty_.at(key)));
  dirty_.erase(key);
  processing_.emplace(key, now);
  return {std::move(key), WakeAt()};
}

void KeyQueue::Resume(const api::ObjectReference& key) {
  if (closed_) {
    processing_.erase(key);
  } else if (processing_.contains(key)) {
    resumed_.push_back(key);
  }
}

void KeyQueue::Done(const api::ObjectReference& key, process::SteadyTime now) {
  const auto work = processing_.extract(key);
  if (!work) {
    return;
  }
  options_.metrics.worked_seconds.Observe(Seconds(now - work.mapped()));
  if (dirty_.contains(key)) {
    Enqueue(key);
  }
}

void KeyQueue::Close() {
  closed_ = true;
  for (const api::ObjectReference& key : resumed_) {
    processing_.erase(key);
  }
  resumed_.clear();
  delayed_.clear();
  due_.clear();
  waiting_.Clear();
  dirty_.clear();
  options_.metrics.depth.Set(0);
}

process::SteadyTime KeyQueue::WakeAt() const {
  if (!waiting_.empty() || !resumed_.empty()) {
    return process::SteadyTime::min();
  }
  return due_.empty() ? process::SteadyTime::max() : due_.begin()->first;
}

std::chrono::nanoseconds KeyQueue::LongestRunning(process::SteadyTime now) const {
  std::chrono::nanoseconds longest{0};
  for (const auto& [key, since] : processing_) {
    longest = std::max(longest, now - since);
  }
  return longest;
}

telemetry::QueueDebugState KeyQueue::DebugState() const {
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
  return {Oldest(std::move(waiting), options_), Oldest(std::move(in_work), options_),
          delayed_.size()};
}

void KeyQueue::TellProgress(process::SteadyTime now) const {
  options_.metrics.longest_seconds.Set(Seconds(LongestRunning(now)));
  std::chrono::nanoseconds all{0};
  for (const auto& [key, since] : processing_) {
    all += now - since;
  }
  options_.metrics.unfinished_seconds.Set(Seconds(all));
}

}  // namespace ballast::runtime
