// Which keys need work, in which order and when: the bookkeeping of a work queue, without thread or
// clock. The WorkQueue hands them to workers.
//
//   const KeyQueue::Next next = queue.Take(now);
//   if (next.key) {
//     ... work on it ...
//     queue.Done(*next.key, now);
//   } else {
//     ... wait until next.wake_at, or an Add ...
//   }
//
// A key is taken by one worker at a time; added again meanwhile, it is taken once more after
// Done(). First in, first out within a namespace; namespaces take turns, so that one with thousands
// of keys does not keep another with one waiting. Thread-safety: none; the caller's lock.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "api/kubernetes/meta.h"
#include "operator/runtime/clock.h"
#include "operator/runtime/runtime_metrics.h"
#include "operator/telemetry/inside.h"

namespace ballast::runtime {

struct WorkQueueOptions {
  // The n-th AddRateLimited of a key in a row waits base * 2^(n-1), at most the cap.
  std::chrono::milliseconds failure_base{5};
  std::chrono::milliseconds failure_cap{300'000};
  WorkQueueMetrics metrics = {};
};

class KeyQueue {
 public:
  explicit KeyQueue(const WorkQueueOptions& options = {}) : options_(options) {}

  // At once. A delayed add of the same key stays as it is.
  void Add(const api::ObjectReference& key, SteadyTime now);
  // After `delay` (0 or less: at once). Of two delayed adds of one key the earlier counts.
  void AddAfter(const api::ObjectReference& key, std::chrono::nanoseconds delay, SteadyTime now);
  // After the key's back-off.
  void AddRateLimited(const api::ObjectReference& key, SteadyTime now);
  // The key works again: its back-off starts anew.
  void Forget(const api::ObjectReference& key) { failures_.erase(key); }
  // For an object that is gone: forgets its back-off and its delayed add.
  void Remove(const api::ObjectReference& key);
  // The end: no more adds, and what waits is dropped.
  void Close();

  struct Next {
    std::optional<api::ObjectReference> key;  // in work until Done()
    SteadyTime wake_at;                       // as WakeAt(), without the key
  };
  Next Take(SteadyTime now);
  void Done(const api::ObjectReference& key, SteadyTime now);

  // When there is a key to be taken. min(): now; max(): when one is added.
  SteadyTime WakeAt() const;
  bool closed() const { return closed_; }
  // No key is in work.
  bool idle() const { return processing_.empty(); }

  // As the WorkQueue's.
  std::size_t depth() const;
  std::chrono::nanoseconds LongestRunning(SteadyTime now) const;
  telemetry::QueueInside Inside() const;
  void TellProgress(SteadyTime now) const;

 private:
  void Enqueue(const api::ObjectReference& key);
  api::ObjectReference TakeNext();
  void ReleaseDue(SteadyTime now);

  const WorkQueueOptions options_;
  bool closed_ = false;
  // Dirty and not in work, in order; by namespace.
  std::map<std::string, std::deque<api::ObjectReference>> waiting_;
  std::deque<std::string> turns_;                          // the namespaces in waiting_, in order
  std::map<api::ObjectReference, SteadyTime> dirty_;       // needs work, since when
  std::map<api::ObjectReference, SteadyTime> processing_;  // handed out, and when
  std::map<api::ObjectReference, SteadyTime> delayed_;
  std::set<std::pair<SteadyTime, api::ObjectReference>> due_;  // delayed_, by time
  std::map<api::ObjectReference, int> failures_;
};

}  // namespace ballast::runtime
