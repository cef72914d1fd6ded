// Which events are sent, and when: a step without thread, clock or network. What client-go calls an
// EventCorrelator. The EventRecorder runs it.
//
//   EventStep step = correlator.Step(now);
//   while (step.request) {
//     step = correlator.Step(now, Send(*step.request));
//   }
//   ... at step.wake_at, or after Record(), the same again ...
//
// - The same event again within six minutes becomes a series: its count is raised (at the first
//   repeat, then every five minutes, and when the series ends) instead of a new object made. Unlike
//   client-go's, a series is of events with the same note: two rescales are two events.
// - One object has 25 events, and one more every five minutes; what is beyond is dropped.
// - An event that could not be sent is tried twelve times, ten seconds apart. Those behind it wait.
// - After Stop() what is queued is sent as long as each call succeeds, then the counts of the
// series,
//   for two seconds in all; the rest is dropped.
// Events are sent one at a time, in order. Thread-safety: none; the caller's lock.
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
#include "operator/runtime/clock.h"
#include "operator/runtime/event_object.h"

namespace ballast::runtime {

// An event that is given up, and why.
struct DroppedEvent {
  Event event;
  Error why;
};

struct EventStep {
  std::optional<EventRequest> request;  // its answer is awaited before anything else
  SteadyTime wake_at;                   // without a request: when the next step is due
  std::vector<DroppedEvent> dropped;    // since the last step
};

class EventCorrelator {
 public:
  // `queue`: how many events wait at most.
  explicit EventCorrelator(std::size_t queue) : max_queue_(queue) {}

  // To be sent; dropped if the queue is full or all is over.
  void Record(Event event);
  // From the next step on only what is there is sent.
  void Stop() { stopping_ = true; }

  // `answer`: to the last request; without one that is awaited it counts for nothing. `now` is read
  // after the answer came.
  EventStep Step(Instant now, const std::optional<Status>& answer = std::nullopt);

  // Events that did not fit, were too many, or could not be sent, so far.
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct Series {
    api::ObjectKey object;  // the Event object
    std::int32_t count = 1;
    std::int32_t told = 1;  // the count that the API server has
    Time last_time;
    SteadyTime last_seen;
    SteadyTime last_sent;
  };
  struct Allowance {
    double events = 0;
    SteadyTime at;
  };
  // An event on its way: however often it is tried, it is one object and costs one allowance.
  struct Draft {
    Event event;
    api::ObjectKey object = {};  // the Event object; no name before the first try
    Time time = {};
    int tries = 0;
    SteadyTime due = SteadyTime::min();  // the next try
  };
  // What the awaited answer is to.
  enum class Phase { kIdle, kPost, kRaise, kEnd };

  bool Advance(Instant now);
  void Try(Instant now);
  void Create(Instant now);
  void Raise(Phase phase, const Series& series);
  void TakeAnswer(Instant now, const Status& answer);
  void OnPosted(Instant now, const Status& answer);
  void OnRaised(Instant now, const Status& answer);
  void OnFailed(SteadyTime now, const Error& error);
  bool IsTooLate(SteadyTime now) const;
  bool TakeAllowance(const ObjectReference& regarding, SteadyTime now);
  void EndSeries(SteadyTime now);
  void EndAllSeries();
  SteadyTime WakeAt() const;

  const std::size_t max_queue_;
  std::deque<Event> queue_;
  std::optional<Draft> draft_;  // the first of all
  std::map<Event, Series> series_;
  std::deque<Series> ended_;  // with counts to be told
  std::map<ObjectReference, Allowance> allowances_;
  SteadyTime look_over_at_{};

  Phase phase_ = Phase::kIdle;
  std::optional<EventRequest> request_;  // to be sent
  std::vector<DroppedEvent> given_up_;   // to be told
  std::uint64_t dropped_ = 0;
  bool stopping_ = false;
  bool over_ = false;
  std::optional<SteadyTime> farewell_ends_;
};

}  // namespace ballast::runtime
