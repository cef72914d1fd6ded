// Evaluates every policy once a period, each at its own point of it (schedule.h), and at once when
// its spec changes: the work queue, the watches that feed it and the threads that work on it.
//
// Workers take an evaluation as far as its first write (session.h); writers carry the writes out,
// most urgent first (write_queue.h), and take the evaluation from there to its end. A slow API
// server thus delays writes, and holds new evaluations back once too many wait.
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
#include "operator/controllers/write_queue.h"
#include "operator/runtime/clock.h"
#include "operator/runtime/work_queue.h"

namespace ballast::controllers {

class Controller {
 public:
  // All must outlive this. Registers its handlers: construct before the fleet's watches start.
  Controller(cluster::Watches& watches, Reconciler& reconciler, runtime::Clock& clock,
             ControllerMetrics metrics = {});

  // As many writers as workers. The fleet must be synced.
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
  void Write();
  Answer CarryOut(const WriteQueue::Write& write);
  // Takes an evaluation through `phase` to its next write or its end.
  template <typename Phase>
  void Advance(const api::ObjectKey& key, runtime::SteadyTime began, Phase phase);
  void Schedule(const api::ObjectKey& key, runtime::SteadyTime began, const NextEvaluation& next);
  void End(const api::ObjectKey& key, runtime::SteadyTime began, const char* result);

  cluster::Watches& watches_;
  Reconciler& reconciler_;
  runtime::Clock& clock_;
  const ControllerMetrics metrics_;
  runtime::WorkQueue queue_;
  WriteQueue writes_;
  std::atomic<bool> running_ = false;  // before, changes are the initial lists
  std::vector<std::jthread> workers_;
  std::vector<std::jthread> writers_;
};

}  // namespace ballast::controllers
