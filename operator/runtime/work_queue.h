// Which objects need work, like client-go's work queue: any thread adds keys to a KeyQueue, and
// workers wait for them.
//
//   while (auto key = queue.Get()) {
//     Reconcile(*key) ? queue.Forget(*key) : queue.AddRateLimited(*key);
//     queue.Done(*key);
//   }
//
// Thread-safety: any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <set>

#include "api/kubernetes/meta.h"
#include "operator/process/clock.h"
#include "operator/runtime/key_queue.h"
#include "operator/telemetry/debug_state.h"

namespace ballast::runtime {

class WorkQueue {
 public:
  // `clock` must outlive the queue.
  explicit WorkQueue(process::Clock& clock, const WorkQueueOptions& options = {})
      : clock_(clock), keys_(options) {}

  // As KeyQueue's.
  void Add(const api::ObjectReference& key);
  void AddAfter(const api::ObjectReference& key, std::chrono::nanoseconds delay,
                Urgency urgency = Urgency::kUsual,
                std::chrono::nanoseconds patience = KeyQueue::kLongestPatience);
  void AddRateLimited(const api::ObjectReference& key);
  void Forget(const api::ObjectReference& key);
  void Remove(const api::ObjectReference& key);

  // Waits for a key; it belongs to the caller until Done(). nullopt: the queue is closed.
  std::optional<api::ObjectReference> Get();
  void Done(const api::ObjectReference& key);
  // As KeyQueue's: Get() returns the key again.
  void Resume(const api::ObjectReference& key);

  bool IsAddedAgain(const api::ObjectReference& key) const;

  // Drops what waits; later adds do nothing, and Get() returns nullopt.
  void Close();
  // Closes the queue, and returns once no key is in work.
  void Drain();

  // How many keys wait, without those delayed or in work.
  std::size_t depth() const;
  // For how long the oldest of the keys in work has been in work; 0 if there is none.
  std::chrono::nanoseconds LongestRunning() const;
  // The keys that wait and those in work.
  telemetry::QueueDebugState DebugState() const;
  // Updates the metrics of the keys in work, whose values grow with time.
  void TellProgress() const;

 private:
  template <typename Change>
  void Update(const Change& change);
  void WakeWorkerFor(process::SteadyTime at);

  process::Clock& clock_;
  mutable std::mutex mutex_;  // guards: keys_, wakes_
  std::condition_variable wake_;
  std::condition_variable idle_;
  KeyQueue keys_;
  std::multiset<process::SteadyTime> wakes_;  // when the waiting workers wake
};

}  // namespace ballast::runtime
