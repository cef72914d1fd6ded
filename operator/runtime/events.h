// Kubernetes events (events.k8s.io/v1) for people to see with `kubectl describe`; best effort, the
// ledger is the record.
//
// Record() never blocks: a thread of the recorder's own sends what the EventCorrelator lets
// through, and what does not fit into its queue is dropped and counted, as is what is too much of
// one object. Thread-safety: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "operator/kube/client.h"
#include "operator/kube/transport.h"
#include "operator/runtime/clock.h"
#include "operator/runtime/event_correlator.h"
#include "operator/runtime/event_object.h"
#include "operator/runtime/runner.h"
#include "operator/telemetry/registry.h"

namespace ballast::runtime {

struct EventRecorderOptions {
  EventReporter reporter = {};
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
  SteadyTime Turn();
  EventStep Step(const std::optional<Status>& answer);
  void CountDropped();

  kube::Client client_;
  Clock& clock_;
  const EventRecorderOptions options_;

  mutable std::mutex mutex_;  // guards: correlator_, counted_
  EventCorrelator correlator_;
  std::uint64_t counted_ = 0;  // of those dropped, in the metric

  Runner runner_;
};

}  // namespace ballast::runtime
