// Which objects need work: client-go's work queue. A KeyQueue that any thread fills and that
// workers wait for.
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

#include "api/kubernetes/meta.h"
#include "operator/runtime/clock.h"
#include "operator/runtime/key_queue.h"
#include "operator/telemetry/inside.h"

namespace ballast::runtime {

class WorkQueue {
 public:
  // `clock` must outlive this.
  explicit WorkQueue(Clock& clock, const WorkQueueOptions& options = {})
      : clock_(clock), keys_(options) {}

  // As the KeyQueue's.
  void Add(const api::ObjectReference& key);
  void AddAfter(const api::ObjectReference& key, std::chrono::nanoseconds delay);
  void AddRateLimited(const api::ObjectReference& key);
  void Forget(const api::ObjectReference& key);
  void Remove(const api::ObjectReference& key);

  // Waits for a key; it belongs to the caller until Done(). nullopt: the queue is closed.
  std::optional<api::ObjectReference> Get();
  void Done(const api::ObjectReference& key);

  // Refuses further keys and drops those that wait: Get() returns nullopt.
  void Close();
  // Closes the queue, and returns when no key is being worked on.
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
  template <typename Change>
  void Update(const Change& change);

  Clock& clock_;
  mutable std::mutex mutex_;  // guards: keys_
  std::condition_variable wake_;
  std::condition_variable idle_;
  KeyQueue keys_;
};

}  // namespace ballast::runtime
