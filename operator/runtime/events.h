// Records Kubernetes events (events.k8s.io/v1) for people to read with `kubectl describe`. Best
// effort: the ledger is the reliable record.
//
// Record() does not wait for the network: a thread of the recorder's own sends what EventCorrelator
// lets through.
//
// Thread-safety: any thread; Stop: owning thread only.
// Errors: none returned; events that do not fit into the queue, are too many of one object or
// cannot be sent are dropped and counted, and logged if they had left the queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "operator/kube/client.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"
#include "operator/process/runner.h"
#include "operator/runtime/event_correlator.h"
#include "operator/runtime/event_object.h"
#include "operator/telemetry/registry.h"

namespace ballast::runtime {

struct EventRecorderOptions {
  std::string instance = "ballast";  // the name of the process that reports
  std::size_t queue = 1000;
  telemetry::Counter dropped_total = {};  // as dropped()
};

class EventRecorder {
 public:
  // `transport` and `clock` must outlive the recorder. Starts the sending thread.
  EventRecorder(kube::Transport& transport, process::Clock& clock,
                EventRecorderOptions options = {});
  ~EventRecorder();  // Stop()

  // Drops the event after Stop().
  void Record(ClusterEvent event);

  // Waits for the call under way, then sends what is left for up to two seconds, as
  // EventCorrelator decides, and drops the rest.
  void Stop();

  // As EventCorrelator's.
  std::uint64_t dropped() const;

 private:
  process::SteadyTime Turn();
  EventStep Step(const std::optional<Status>& answer);
  void CountDropped();

  kube::Client client_;
  process::Clock& clock_;
  const EventRecorderOptions options_;

  mutable std::mutex mutex_;  // guards: correlator_, counted_
  EventCorrelator correlator_;
  std::uint64_t counted_ = 0;  // dropped events that the metric contains

  process::Runner runner_;
};

}  // namespace ballast::runtime
