// Kubernetes events (events.k8s.io/v1) for people to see with `kubectl describe`; best effort, the
// ledger is the record.
//
// Record() never blocks: a thread of the recorder's own sends, and what does not fit into its queue
// is dropped and counted, as is what one object has beyond 25 events and one more every five
// minutes. The same event again within six minutes becomes a series: its count is raised (at the
// first repeat, then every five minutes, and when the series ends) instead of a new object made.
// Unlike client-go's, a series is of events with the same note: two rescales are two events.
// Thread-safety: any thread.
#pragma once

#include <compare>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "api/kubernetes/meta.h"
#include "operator/kube/client.h"
#include "operator/runtime/clock.h"
#include "operator/telemetry/registry.h"

namespace ballast::runtime {

// What the event is about (v1 ObjectReference, without the resourceVersion, which would make each
// event a new one).
struct ObjectReference {
  std::string api_version;
  std::string kind;
  std::string namespace_;  // empty for cluster scope: the event goes to "default"
  std::string name;
  std::string uid;
  friend auto operator<=>(const ObjectReference&, const ObjectReference&) = default;
};

struct Event {
  ObjectReference regarding;
  std::string type = "Normal";  // or "Warning"
  std::string reason;           // CamelCase, at most 128 bytes
  std::string action;           // what was done or tried: "Rescale"
  std::string note;             // for people; cut at 1024 bytes
  friend auto operator<=>(const Event&, const Event&) = default;
};

struct EventRecorderOptions {
  std::string controller = "ballast.dev/autoscaler";  // reportingController
  std::string instance = "ballast";                   // reportingInstance: the pod's name
  std::size_t queue = 1000;
  telemetry::Counter dropped_total = {};  // as dropped()
};

class EventRecorder {
 public:
  // `transport` and `clock` must outlive this. Starts the sending thread.
  EventRecorder(kube::Transport& transport, Clock& clock, EventRecorderOptions options = {});
  ~EventRecorder();  // Stop()

  // After Stop(), drops it.
  void Record(Event event);

  // Sends what is queued as long as each call succeeds, for two seconds and the call that is under
  // way, and drops the rest. The owner's.
  void Stop();

  // Events that did not fit, were too many, or could not be sent, so far.
  std::uint64_t dropped() const;

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
  void Run(const std::stop_token& stop);
  // Waits for an event, a stop, or the time to look over the series. nullopt: not an event.
  std::optional<Event> Next(const std::stop_token& stop);
  // An event on its way: however often it is tried, it is one object and costs one allowance.
  struct Draft {
    Event event;
    api::ObjectKey object = {};  // the Event object; no name before the first try
    Time time = {};
  };
  void SendOrDrop(Draft draft, const std::stop_token& stop);
  Status TrySend(Draft& draft);
  Status Send(Draft& draft);
  Status Create(Draft& draft);
  Status Post(const Draft& draft);
  bool IsTooLate(const std::stop_token& stop);
  Status Tell(Series& series);
  bool TakeAllowance(const ObjectReference& regarding);
  void EndSeries();
  void Drop(std::size_t count);

  kube::Client client_;
  Clock& clock_;
  const EventRecorderOptions options_;

  // The thread's own.
  std::map<Event, Series> series_;
  std::map<ObjectReference, Allowance> allowances_;
  SteadyTime look_over_at_{};
  std::optional<SteadyTime> farewell_ends_;

  mutable std::mutex mutex_;  // guards: queue_, dropped_, stopped_
  std::condition_variable wake_;
  std::deque<Event> queue_;
  std::uint64_t dropped_ = 0;
  bool stopped_ = false;

  std::jthread thread_;
};

}  // namespace ballast::runtime
