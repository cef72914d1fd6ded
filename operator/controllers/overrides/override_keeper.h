// Looks after overrides while this replica leads: has the autoscalers evaluated whose overrides
// begin, end or change, writes the overrides' statuses, deletes those that ended long ago, and
// shows those that count as metrics.
//
// It decides nothing: which overrides count, each evaluation finds out for itself
// (operator/cluster/overrides.h).
//
// Thread-safety: construction (before the watches start), Start and Stop: owning thread only.
// Errors: none returned; a write that failed is logged and tried again.
#pragma once

#include <atomic>
#include <functional>

#include "operator/cluster/watches.h"
#include "operator/controllers/overrides/override_steps.h"
#include "operator/kube/client.h"
#include "operator/process/clock.h"
#include "operator/process/runner.h"
#include "operator/telemetry/registry.h"

namespace ballast::controllers {

struct OverrideMetrics {
  OverrideMetrics() = default;  // records nothing
  explicit OverrideMetrics(telemetry::Registry& registry);

  // Labels of both: kind (of the autoscaler), type.
  telemetry::Family<telemetry::Gauge> active;   // how many
  telemetry::Family<telemetry::Gauge> expires;  // the first of them; also by length
};

class OverrideKeeper {
 public:
  struct OverrideWiring {
    cluster::Watches& watches;
    kube::Client& client;
    process::Clock& clock;
    Obstacle obstacle;
    std::function<void(const api::ObjectReference&)> evaluate;
    OverrideMetrics metrics = {};
  };

  // What the wiring refers to must outlive the keeper. Registers a handler.
  explicit OverrideKeeper(OverrideWiring wiring);

  void Start();
  // Returns once nothing is written any more.
  void Stop();

 private:
  void OnChange(const runtime::Informer<api::AutoScaleOverride>::Change& change);
  void OnAutoscaler(const runtime::Informer<api::Autoscaler>::Change& change);
  process::SteadyTime Look(const std::stop_token& stop);
  // Until the next beginning or end.
  void Write(const OverrideSteps& steps, const std::stop_token& stop);
  void ShowMetrics(const std::vector<cluster::OverridePointer>& active) const;

  const OverrideWiring on_;
  std::atomic<bool> running_ = false;
  OverridePhases told_;  // of the last turn
  // Whether the cluster's definition of overrides has their status.owner: an older one drops it.
  bool keeps_owners_ = true;
  process::Runner runner_;  // last: its turns use the rest
};

}  // namespace ballast::controllers
