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
  Add(key, KeyState{now});
}

void KeyQueue::Add(const api::ObjectReference& key, const KeyState& state) {
  if (closed_) {
    return;
  }
  const auto [waits, added] = dirty_.emplace(key, state);
  if (added) {
    options_.metrics.adds.Add();
    if (!processing_.contains(key)) {
      Enqueue(key, state, state.since);
    }
  } else if (waits->second.urgency == Urgency::kPatient && state.urgency != Urgency::kPatient) {
    EndPatience(key, state.urgency, state.since);
  }
}

void KeyQueue::Enqueue(const api::ObjectReference& key, const KeyState& state,
                       process::SteadyTime now) {
  if (state.urgency == Urgency::kPatient) {
    patient_.emplace(state.patient_until, key);
  } else {
    if (state.urgency == Urgency::kUsual && usual_.waiting.empty()) {
      usual_wait_since_ = now;
    }
    LineOf(state.urgency).waiting.Push(key.namespace_, key);
  }
  options_.metrics.depth.Set(static_cast<double>(depth()));
}

void KeyQueue::AddAfter(const api::ObjectReference& key, std::chrono::nanoseconds delay,
                        process::SteadyTime now, Urgency urgency,
                        std::chrono::nanoseconds patience) {
  const process::SteadyTime at = now + std::max(delay, std::chrono::nanoseconds(0));
  const KeyState state{at, urgency,
                       at + std::min<std::chrono::nanoseconds>(patience, kLongestPatience)};
  at > now ? Delay(key, state) : Add(key, state);
}

void KeyQueue::Delay(const api::ObjectReference& key, const KeyState& state) {
  if (closed_) {
    return;
  }
  const auto [entry, added] = delayed_.emplace(key, state);
  if (!added) {
    KeyState& known = entry->second;
    const bool gives_way = known.urgency == Urgency::kPatient && state.urgency == Urgency::kUrgent;
    if (known.since <= state.since && !gives_way) {
      return;
    }
    due_.erase({known.since, key});
    known = state;
  }
  due_.emplace(state.since, key);
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
    due_.erase({found->second.since, key});
    delayed_.erase(found);
  }
}

// Of a key that is dirty.
void KeyQueue::EndPatience(const api::ObjectReference& key, Urgency urgency,
                           process::SteadyTime now) {
  KeyState& state = dirty_.at(key);
  const bool waits = patient_.erase({state.patient_until, key}) > 0;
  state.urgency = urgency;
  if (waits) {
    Enqueue(key, state, now);
  }
}

void KeyQueue::ReleaseDue(process::SteadyTime now) {
  while (!due_.empty() && due_.begin()->first <= now) {
    const api::ObjectReference key = due_.begin()->second;
    due_.erase(due_.begin());
    KeyState state = delayed_.extract(key).mapped();
    state.since = now;
    Add(key, state);
  }
  while (!patient_.empty() && (urgent_.waiting.empty() || patient_.begin()->first <= now)) {
    const api::ObjectReference key = patient_.begin()->second;
    EndPatience(key, Urgency::kUsual, now);
  }
}

// At least one key must wait.
KeyQueue::Line& KeyQueue::NextLine(process::SteadyTime now) {
  const bool turn_of_usual = last_was_urgent_ && now - usual_wait_since_ >= kPatience;
  last_was_urgent_ = usual_.waiting.empty() || (!urgent_.waiting.empty() && !turn_of_usual);
  return last_was_urgent_ ? urgent_ : usual_;
}

KeyQueue::Next KeyQueue::Take(process::SteadyTime now) {
  ReleaseDue(now);
  for (Line* line : {&urgent_, &usual_}) {
    if (!line->resumed.empty()) {
      api::ObjectReference key = std::move(line->resumed.front());
      line->resumed.pop_front();
      return {std::move(key), WakeAt()};
    }
  }
  if (depth() == 0) {
    return {std::nullopt, WakeAt()};
  }
  api::ObjectReference key = NextLine(now).waiting.Pop();
  options_.metrics.depth.Set(static_cast<double>(depth()));
  const auto waited = dirty_.extract(key);
  options_.metrics.waited_seconds.Observe(Seconds(now - waited.mapped().since));
  processing_.emplace(key, KeyState{now, waited.mapped().urgency});
  return {std::move(key), WakeAt()};
}

void KeyQueue::Resume(const api::ObjectReference& key) {
  if (closed_) {
    processing_.erase(key);
  } else if (const auto work = processing_.find(key); work != processing_.end()) {
    LineOf(work->second.urgency).resumed.push_back(key);
  }
}

void KeyQueue::Done(const api::ObjectReference& key, process::SteadyTime now) {
  const auto work = processing_.extract(key);
  if (!work) {
    return;
  }
  options_.metrics.worked_seconds.Observe(Seconds(now - work.mapped().since));
  if (const auto dirty = dirty_.find(key); dirty != dirty_.end()) {
    Enqueue(key, dirty->second, now);
  }
}

void KeyQueue::Close() {
  closed_ = true;
  for (Line* line : {&urgent_, &usual_}) {
    for (const api::ObjectReference& key : line->resumed) {
      processing_.erase(key);
    }
    *line = {};
  }
  patient_.clear();
  delayed_.clear();
  due_.clear();
  dirty_.clear();
  options_.metrics.depth.Set(0);
}

process::SteadyTime KeyQueue::WakeAt() const {
  if (depth() > 0 || !urgent_.resumed.empty() || !usual_.resumed.empty()) {
    return process::SteadyTime::min();
  }
  return due_.empty() ? process::SteadyTime::max() : due_.begin()->first;
}

std::chrono::nanoseconds KeyQueue::LongestRunning(process::SteadyTime now) const {
  std::chrono::nanoseconds longest{0};
  for (const auto& [key, state] : processing_) {
    longest = std::max(longest, now - state.since);
  }
  return longest;
}

telemetry::QueueDebugState KeyQueue::DebugState() const {
  KeysSince waiting;
  for (const auto& [key, state] : dirty_) {
    if (!processing_.contains(key)) {
      waiting.emplace_back(state.since, &key);
    }
  }
  KeysSince in_work;
  for (const auto& [key, state] : processing_) {
    in_work.emplace_back(state.since, &key);
  }
  return {Oldest(std::move(waiting), options_), Oldest(std::move(in_work), options_),
          delayed_.size()};
}

void KeyQueue::TellProgress(process::SteadyTime now) const {
  options_.metrics.longest_seconds.Set(Seconds(LongestRunning(now)));
  std::chrono::nanoseconds all{0};
  for (const auto& [key, state] : processing_) {
    all += now - state.since;
  }
  options_.metrics.unfinished_seconds.Set(Seconds(all));
}

}  // namespace ballast::runtime
