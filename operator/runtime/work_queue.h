// Which objects need work: client-go's work queue. A key is handed to one worker at a time; added
// again meanwhile, it runs once more after Done().
//
//   while (auto key = queue.Get()) {
//     Reconcile(*key) ? queue.Forget(*key) : queue.AddRateLimited(*key);
//     queue.Done(*key);
//   }
//
// First in, first out within a namespace; namespaces take turns, so that one with thousands of keys
// does not keep another with one waiting. Thread-safety: any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
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

class WorkQueue {
 public:
  // `clock` must outlive this.
  explicit WorkQueue(Clock& clock, const WorkQueueOptions& options = {});

  // At once. A delayed add of the same key stays as it is.
  void Add(const api::ObjectKey& key);
  // After `delay` (0 or less: at once). Of two delayed adds of one key the earlier counts.
  void AddAfter(const api::ObjectKey& key, std::chrono::nanoseconds delay);
  // After the key's back-off.
  void AddRateLimited(const api::ObjectKey& key);
  // The key works again: its back-off starts anew.
  void Forget(const api::ObjectKey& key);
  // For an object that is gone: forgets its back-off and its delayed add.
  void Remove(const api::ObjectKey& key);

  // Waits for a key; it belongs to the caller until Done(). nullopt: the queue was drained.
  std::optional<api::ObjectKey> Get();
  void Done(const api::ObjectKey& key);

  // The end: no more adds, and what waits is dropped. Returns when no key is being worked on.
  void Drain();

  // Keys waiting (not those delayed or in work).
  std::size_t depth() const;
  // How long the oldest work in hand has been going on; 0 without any.
  std::chrono::nanoseconds LongestRunning() const;
  // What waits and what is being worked on.
  telemetry::QueueInside Inside() const;
  // Sets the metrics of what is in hand, which change by themselves.
  void TellProgress() const;

 private:
  void AddLocked(const api::ObjectKey& key);
  void Enqueue(const api::ObjectKey& key);
  api::ObjectKey TakeNext();
  void AddAfterLocked(const api::ObjectKey& key, std::chrono::nanoseconds delay);
  void ReleaseDue();

  Clock& clock_;
  const WorkQueueOptions options_;
  mutable std::mutex mutex_;  // guards: everything below
  std::condition_variable wake_;
  std::condition_variable idle_;
  bool drained_ = false;
  std::map<std::string, std::deque<std::string>>
      waiting_;                                      // dirty and not in work: names, in order
  std::deque<std::string> turns_;                    // the namespaces in waiting_, in order
  std::map<api::ObjectKey, SteadyTime> dirty_;       // needs work, since when
  std::map<api::ObjectKey, SteadyTime> processing_;  // handed out, and when
  std::map<api::ObjectKey, SteadyTime> delayed_;
  std::set<std::pair<SteadyTime, api::ObjectKey>> due_;  // delayed_, by time
  std::map<api::ObjectKey, int> failures_;
};

}  // namespace ballast::runtime
