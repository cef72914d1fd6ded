// Evaluates every policy once a period, each at its own point of it (schedule.h), and at once when
// its spec changes: the work queue, its workers and the watches that feed them.
//
// Thread-safety: construct, Start() once and Stop() on one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "api/base/result.h"
#include "operator/cluster/watches.h"
#include "operator/controllers/evaluation_metrics.h"
#include "operator/controllers/reconciler.h"
#include "operator/runtime/clock.h"
#include "operator/runtime/work_queue.h"

namespace ballast::controllers {

class Controller {
 public:
  // All must outlive this. Registers its handlers: construct before the fleet's watches start.
  Controller(cluster::Watches& watches, Reconciler& reconciler, runtime::Clock& clock,
             ControllerMetrics metrics = {});

  // The fleet must be synced.
  void Start(int workers);
  // Returns when what was being evaluated is finished.
  void Stop();

  // Done, unless an evaluation does not end. Any thread's.
  Status CheckAlive() const;
  // What waits and what is being evaluated. Any thread's.
  telemetry::QueueInside Inside() const { return queue_.Inside(); }
  // Sets the metrics of what is in hand. Any thread's.
  void TellProgress() const;

 private:
  void OnPolicy(const runtime::Informer<api::Autoscaler>::Change& change);
  void OnHpa(const runtime::Informer<api::Autoscaler>::Change& change);
  // The policies that share a target with `autoscaler`: who yields to whom may have changed.
  void EvaluateSharers(const api::Autoscaler& autoscaler);
  void Work();
  const char* TryEvaluate(const api::ObjectKey& key);
  // Whether the policy is still there, to be evaluated again.
  bool Evaluate(const api::ObjectKey& key);

  cluster::Watches& watches_;
  Reconciler& reconciler_;
  runtime::Clock& clock_;
  const ControllerMetrics metrics_;
  runtime::WorkQueue queue_;
  std::atomic<bool> running_ = false;  // before, changes are the initial lists
  std::vector<std::jthread> workers_;
};

}  // namespace ballast::controllers
