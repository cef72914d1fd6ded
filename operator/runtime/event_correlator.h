// Decides which events are sent and when, as client-go's EventCorrelator does: a step without
// thread, clock or network. EventRecorder runs it.
//
//   EventStep step = correlator.Step(now);
//   while (step.request) {
//     step = correlator.Step(now, Send(*step.request));
//   }
//   ... repeat at step.wake_at, or after Record() ...
//
// - An event that repeats within six minutes becomes a series: instead of creating a new object,
//   the count is raised (at the first repeat, then at most every five minutes, and when the series
//   ends). Unlike client-go's, a series has events with the same note: two rescales are two events.
// - One object may have 25 Event objects, and one more every five minutes; the rest is dropped.
// - If creating an Event object fails for a reason that may pass (server unavailable, timeout,
//   throttling), it is tried up to twelve times, ten seconds apart. Later events wait.
// - After Stop() the queued events are sent until one cannot be created, then the counts of the
//   series until a call fails; no call begins after two seconds. The rest is dropped.
// Events are sent one at a time, in order.
//
// Thread-safety: none; the caller's lock.
// Errors: none returned; dropped events are counted and, if they had left the queue, in
// EventStep::dropped.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "api/kubernetes/meta.h"
#include "operator/process/clock.h"
#include "operator/runtime/event_object.h"

namespace ballast::runtime {

// An event that is given up, and why.
struct DroppedEvent {
  ClusterEvent event;
  Error why;
};

struct EventStep {
  std::optional<EventRequest> request;  // to be sent; the next step takes its answer
  process::SteadyTime wake_at;          // without a request: when the next step is due
  std::vector<DroppedEvent> dropped;    // since the last step
};

class EventCorrelator {
 public:
  // At most `queue` events wait.
  explicit EventCorrelator(std::size_t queue) : max_queue_(queue) {}

  // Queues the event; drops it if the queue is full or the correlator has finished after Stop().
  void Record(ClusterEvent event);
  // From the next step on only sends what is left, as described above.
  void Stop() { stopping_ = true; }

  // `answer` is the answer to the last request; it is ignored if none is awaited. Read `now` after
  // the answer came.
  EventStep Step(process::Instant now, const std::optional<Status>& answer = std::nullopt);

  // How many events did not fit into the queue, were too many, or could not be sent.
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct EventSeries {
    api::ObjectKey object;  // the Event object
    std::int32_t count = 1;
    std::int32_t told = 1;  // the count that the API server knows
    Time last_time;
    process::SteadyTime last_seen;
    process::SteadyTime last_sent;
  };
  struct Allowance {
    double events = 0;
    process::SteadyTime at;
  };
  // An event being sent: however often it is tried, it is one object and costs one allowance.
  struct Draft {
    ClusterEvent event;
    api::ObjectKey object = {};  // the Event object; no name before the first try
    Time time = {};
    int tries = 0;
    process::SteadyTime due = process::SteadyTime::min();  // the next try
  };
  // What the awaited answer belongs to.
  enum class SendPhase { kIdle, kPost, kRaise, kEnd };

  bool Advance(process::Instant now);
  void Try(process::Instant now);
  void Create(process::Instant now);
  void Raise(SendPhase phase, const EventSeries& series);
  void TakeAnswer(process::Instant now, const Status& answer);
  void OnPosted(process::Instant now, const Status& answer);
  void OnRaised(process::Instant now, const Status& answer);
  void OnFailed(process::SteadyTime now, const Error& error);
  bool IsTooLate(process::SteadyTime now) const;
  bool TakeAllowance(const InvolvedObject& regarding, process::SteadyTime now);
  void EndSeries(process::SteadyTime now);
  void EndAllSeries();
  process::SteadyTime WakeAt() const;

  const std::size_t max_queue_;
  std::deque<ClusterEvent> queue_;
  std::optional<Draft> draft_;  // goes before the queue
  std::map<ClusterEvent, EventSeries> series_;
  std::deque<EventSeries> ended_;  // whose counts are still to be sent
  std::map<InvolvedObject, Allowance> allowances_;
  process::SteadyTime look_over_at_{};

  SendPhase phase_ = SendPhase::kIdle;
  std::optional<EventRequest> request_;  // to be sent
  std::vector<DroppedEvent> given_up_;   // for the next EventStep
  std::uint64_t dropped_ = 0;
  bool stopping_ = false;
  bool over_ = false;
  std::optional<process::SteadyTime> drain_ends_;
};

}  // namespace ballast::runtime
