// Which keys need work, in which order and when: the bookkeeping of a work queue, without thread or
// clock. WorkQueue hands them to workers.
//
//   const KeyQueue::Next next = queue.Take(now);
//   if (next.key) {
//     ... work on it ...
//     queue.Done(*next.key, now);
//   } else {
//     ... wait until next.wake_at, or for an Add ...
//   }
//
// One worker at a time has a key; a key that is added meanwhile is taken once more after Done(). A
// worker whose key has to wait for something leaves it; after Resume() another takes it up, before
// any that wait for their turn.
// First in, first out within a namespace; namespaces take turns (fair_queue.h). Delayed keys that
// are due at one moment come in by kind, namespace and name. Keys that became due as urgent ones go
// before all others; but once there have been others that wait for kPatience without a break, both
// take turns. So one that is n-th among these waits for kPatience and n urgent ones at most. A
// patient one waits for as long as urgent ones do, but not after it is added otherwise, nor for
// longer than its patience; then it is one of the others.
//
// Thread-safety: none; the caller's lock.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "api/kubernetes/by_reference.h"
#include "api/kubernetes/meta.h"
#include "operator/process/clock.h"
#include "operator/runtime/fair_queue.h"
#include "operator/runtime/runtime_metrics.h"
#include "operator/telemetry/debug_state.h"

namespace ballast::runtime {

struct WorkQueueOptions {
  // The n-th AddRateLimited of a key since its last Forget waits base * 2^(n-1), at most the cap.
  std::chrono::milliseconds failure_base{5};
  std::chrono::milliseconds failure_cap{300'000};
  WorkQueueMetrics metrics = {};
  // What people call a key's object, for the debug page.
  std::function<std::string(const api::ObjectReference&)> name_of =
      [](const api::ObjectReference& key) { return key.Print(); };
};

enum class Urgency { kUrgent, kUsual, kPatient };

class KeyQueue {
 public:
  static constexpr std::chrono::seconds kPatience{1};
  // For as long as a patient key waits, a usual delayed add of the same key may be late, too.
  static constexpr std::chrono::seconds kLongestPatience{15};

  explicit KeyQueue(const WorkQueueOptions& options = {}) : options_(options) {}

  // Adds the key at once. A delayed add of the same key stays as it is.
  void Add(const api::ObjectReference& key, process::SteadyTime now);
  // Adds the key after `delay` (0 or less: at once). Of two delayed adds of one key the earlier one
  // counts, but an urgent one before a patient one. A key that waits already, or is in work, keeps
  // its urgency, unless it is a patient one.
  void AddAfter(const api::ObjectReference& key, std::chrono::nanoseconds delay,
                process::SteadyTime now, Urgency urgency = Urgency::kUsual,
                std::chrono::nanoseconds patience = kLongestPatience);
  // Adds the key after its back-off.
  void AddRateLimited(const api::ObjectReference& key, process::SteadyTime now);
  // Call it after a success: resets the key's back-off.
  void Forget(const api::ObjectReference& key) { failures_.erase(key); }
  // For an object that is gone: forgets the key's back-off and its delayed add.
  void Remove(const api::ObjectReference& key);
  // Drops what waits; later adds do nothing.
  void Close();

  struct Next {
    std::optional<api::ObjectReference> key;  // in work until Done()
    process::SteadyTime wake_at;              // WakeAt() after taking the key
  };
  Next Take(process::SteadyTime now);
  // Hands out a key in work again, which its worker has left. After Close() the key is done
  // instead.
  void Resume(const api::ObjectReference& key);
  void Done(const api::ObjectReference& key, process::SteadyTime now);

  // When the next key can be taken. min(): now; max(): not before one is added.
  process::SteadyTime WakeAt() const;
  bool closed() const { return closed_; }
  // Whether the key, which is in work, is to be taken once more after Done().
  bool IsAddedAgain(const api::ObjectReference& key) const { return dirty_.contains(key); }
  // Whether no key is in work.
  bool idle() const { return processing_.empty(); }

  // As WorkQueue's.
  std::size_t depth() const {
    return urgent_.waiting.size() + usual_.waiting.size() + patient_.size();
  }
  std::chrono::nanoseconds LongestRunning(process::SteadyTime now) const;
  telemetry::QueueDebugState DebugState() const;
  void TellProgress(process::SteadyTime now) const;

 private:
  struct KeyState {
    process::SteadyTime since;
    Urgency urgency = Urgency::kUsual;
    process::SteadyTime patient_until = {};  // if it is a patient one
  };
  using Times = std::set<std::pair<process::SteadyTime, api::ObjectReference>>;

  // The keys of one urgency, but for patient ones.
  struct Line {
    FairQueue<api::ObjectReference> waiting;   // dirty and not in work
    std::deque<api::ObjectReference> resumed;  // in work, but no worker has them
  };

  Line& LineOf(Urgency urgency) { return urgency == Urgency::kUrgent ? urgent_ : usual_; }
  void Add(const api::ObjectReference& key, const KeyState& state);
  void Enqueue(const api::ObjectReference& key, const KeyState& state, process::SteadyTime now);
  void Delay(const api::ObjectReference& key, const KeyState& state);
  void EndPatience(const api::ObjectReference& key, Urgency urgency, process::SteadyTime now);
  void ReleaseDue(process::SteadyTime now);
  Line& NextLine(process::SteadyTime now);

  const WorkQueueOptions options_;
  bool closed_ = false;
  Line urgent_;
  Line usual_;
  Times patient_;                          // that wait, by when they are patient no longer
  process::SteadyTime usual_wait_since_;   // if some do, without a break
  bool last_was_urgent_ = false;           // of those that waited
  api::ByReference<KeyState> dirty_;       // needs work, and since when
  api::ByReference<KeyState> processing_;  // in work, and since when
  api::ByReference<KeyState> delayed_;     // until when
  Times due_;                              // delayed_, by time
  api::ByReference<int> failures_;
};

}  // namespace ballast::runtime
