// Evaluates every autoscaler once a period, each at its own point of it (evaluation_slots.h), and
// at once when a policy is edited, when a pod of a policy's target becomes ready (ready_pods.h) or
// when another controller does something with an HPA: the work queue, the watches that feed it and
// its threads.
//
// Workers begin evaluations: what each of these needs is read by threads of its APIs (gather.h),
// and once it is there a worker takes the evaluation up to its first write (session.h). Writers
// carry out the writes, most urgent first (write_queue.h), and continue the evaluation from there.
// So a slow API server delays writes, and also new evaluations once too many writes are waiting.
//
// Thread-safety: construction, Start, FinishWrites and Stop, once each: owning thread only. The
// rest: any thread.
// Errors: none returned; an exception in an evaluation is logged and counted, and the autoscaler
// retried.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "api/base/result.h"
#include "api/kubernetes/by_reference.h"
#include "operator/cluster/scale_targets.h"
#include "operator/cluster/watches.h"
#include "operator/controllers/controller_metrics.h"
#include "operator/controllers/ready_pods.h"
#include "operator/controllers/reconcilers.h"
#include "operator/controllers/write_queue.h"
#include "operator/process/clock.h"
#include "operator/runtime/work_queue.h"
#include "operator/session/requests.h"

namespace ballast::controllers {

class Controller {
 public:
  // The arguments must outlive the Controller. Registers handlers: construct it before the watches
  // start.
  Controller(cluster::Watches& watches, const cluster::ScaleTargets& targets,
             Reconcilers& reconcilers, process::Clock& clock, int workers,
             ControllerMetrics metrics = {});

  // Starts the workers and the writers. The watches must have synced.
  void Start();
  // Begins no more evaluations, and returns once no write is waiting or under way; none begins
  // after that. Evaluations that are still reading go on, and end without a decision.
  void FinishWrites();
  // Whether FinishWrites() has begun.
  bool finishing() const { return finishing_; }
  // Returns once all evaluations under way have ended.
  void Stop();

  // Has the autoscaler, if it is served, evaluated at once.
  void Evaluate(const api::ObjectReference& autoscaler);

  // An error if an evaluation has been running for more than ten minutes.
  Status CheckAlive() const;
  // The waiting and the running evaluations, for the debug page.
  telemetry::QueueDebugState DebugState() const { return queue_.DebugState(); }
  // Updates the metrics of the queue and the policies.
  void TellProgress() const;

 private:
  void OnPolicy(const runtime::Informer<api::Autoscaler>::Change& change);
  void OnHpa(const runtime::Informer<api::Autoscaler>::Change& change);
  void OnRescale(const runtime::Informer<cluster::RescaleEvent>::Change& change);
  void OnPod(const ReadyPods::PodChange& change);
  // Has it evaluated as soon as it may be.
  void Hurry(const api::ObjectReference& autoscaler);
  // Queues the other policies of `autoscaler`'s target, since a conflict may have begun or ended.
  void EvaluateSharers(const api::Autoscaler& autoscaler);
  void Work();
  // Hands an evaluation's request to whoever carries it out.
  void Serve(const api::ObjectReference& key, process::SteadyTime began,
             const session::Request& request);
  // What was read for an evaluation, once it is there; nullopt: nothing was read for it yet.
  std::optional<session::MetricsAnswer> TakeAnswer(const api::ObjectReference& key);
  void WriteOut();
  // Also notes in `write` how it ended.
  session::Answer CarryOut(WriteQueue::Write& write);
  // Runs `phase` of an evaluation, then serves its next request or ends it.
  template <typename Phase>
  void Advance(const api::ObjectReference& key, process::SteadyTime began, Phase phase);
  void QueueNext(const api::ObjectReference& key, process::SteadyTime began,
                 const session::NextEvaluation& next);
  void End(const api::ObjectReference& key, process::SteadyTime began, const char* result);

  cluster::Watches& watches_;
  Reconcilers& reconcilers_;
  process::Clock& clock_;
  const int worker_count_;
  const ControllerMetrics metrics_;
  runtime::WorkQueue queue_;
  WriteQueue writes_;
  ReadyPods ready_pods_;
  std::mutex mutex_;                                  // guards: answers_
  api::ByReference<session::MetricsAnswer> answers_;  // with which workers are to go on
  std::atomic<bool> finishing_ = false;
  std::atomic<bool> running_ = false;  // before, changes are the initial lists
  std::vector<std::jthread> workers_;
  std::vector<std::jthread> writers_;
};

}  // namespace ballast::controllers
