#include "operator/controllers/controller.h"

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "api/autoscaling/types.h"
#include "operator/hpa/hpa_observer.h"
#include "operator/os/thread_name.h"
#include "operator/process/log.h"
#include "operator/session/own_annotations.h"

namespace ballast::controllers {
namespace {

// Each request of an evaluation has a deadline of its own; an evaluation of this length hangs.
constexpr std::chrono::minutes kLongestEvaluation{10};

// The shortest wait between two evaluations of one autoscaler.
constexpr std::chrono::nanoseconds kAtOnce = std::chrono::milliseconds(1);

// So much earlier than scale-ins come the scale-outs that are due at the same moment, so that the
// urgent ones are all in the queue, whose times are not exact, before it hands out others.
constexpr std::chrono::nanoseconds kHeadStart = std::chrono::milliseconds(50);

// So many scales are under way at most: they wait for the API server, whose flow control decides
// how many it takes at a time.
constexpr int kWriters = 16;

// And so many statuses: the API server is not to have more to do than it can.
constexpr int kStatusWriters = 4;

// The scales that may wait for each writer. Each write ends within half a minute, so that none
// waits for as long as kLongestEvaluation.
constexpr std::size_t kRoom = 8;

using LaneOutcome = runtime::SharedLanes::LaneOutcome;

LaneOutcome EndOf(const session::Answer& answer) {
  if (const auto* status = std::get_if<session::StatusAnswer>(&answer)) {
    return status->written ? LaneOutcome::kServed : LaneOutcome::kRefused;
  }
  const auto& scale = std::get<session::ScaleAnswer>(answer);
  if (scale.unsent) {
    return LaneOutcome::kUnsent;
  }
  const bool written = scale.outcome && scale.outcome->kind == engine::Outcome::Kind::kWritten;
  return written ? LaneOutcome::kServed : LaneOutcome::kRefused;
}

runtime::Urgency UrgencyOf(session::Prospect prospect) {
  switch (prospect) {
    case session::Prospect::kScaleOut:
      return runtime::Urgency::kUrgent;
    case session::Prospect::kScaleIn:
      return runtime::Urgency::kPatient;
    case session::Prospect::kUnknown:
      break;
  }
  return runtime::Urgency::kUsual;
}

}  // namespace

Controller::Controller(cluster::Watches& watches, const cluster::ScaleTargets& targets,
                       Reconcilers& reconcilers, process::Clock& clock, int workers,
                       ControllerMetrics metrics)
    : watches_(watches),
      reconcilers_(reconcilers),
      clock_(clock),
      worker_count_(workers),
      metrics_(std::move(metrics)),
      queue_(clock,
             {.metrics = metrics_.queue,
              .name_of = [](const api::ObjectReference& key) { return api::PrintName(key); }}),
      writes_(clock, {.scales_waiting = kRoom * kWriters,
                      .scales_under_way = kWriters,
                      .statuses_under_way = kStatusWriters}),
      ready_pods_(watches, targets, clock) {
  watches_.policies.AddHandler([this](const auto& change) { OnPolicy(change); });
  watches_.hpas.AddHandler([this](const auto& change) { OnHpa(change); });
  watches_.rescales.AddHandler([this](const auto& change) { OnRescale(change); });
  watches_.pods.AddHandler([this](const auto& change) { OnPod(change); });
}

void Controller::Start() {
  running_ = true;
  metrics_.workers.Set(worker_count_);
  for (const cluster::AutoscalerPointer& autoscaler : reconcilers_.Served()) {
    queue_.AddAfter(autoscaler->reference(),
                    std::chrono::nanoseconds(reconcilers_.FirstDelay(*autoscaler).nanoseconds));
  }
  for (int i = 0; i < worker_count_; ++i) {
    workers_.emplace_back([this, i] {
      os::NameThisThread("evaluate-" + std::to_string(i));
      Work();
    });
  }
  for (int i = 0; i < kWriters + kStatusWriters; ++i) {
    writers_.emplace_back([this, i] {
      os::NameThisThread("write-" + std::to_string(i));
      WriteOut();
    });
  }
}

void Controller::FinishWrites() {
  finishing_ = true;
  queue_.Close();
  writes_.Seal();
}

void Controller::Stop() {
  queue_.Drain();  // when it returns, no evaluation is under way
  workers_.clear();
  writes_.Close();
  writers_.clear();
}

Status Controller::CheckAlive() const {
  const auto longest = queue_.LongestRunning();
  if (longest > kLongestEvaluation) {
    return Error{Code::kUnavailable,
                 "an evaluation has been running for " + Print(Duration{longest.count()})};
  }
  return Done{};
}

void Controller::TellProgress() const {
  queue_.TellProgress();
  if (!running_) {
    return;  // another replica leads; its numbers are the true ones
  }
  const std::vector<cluster::AutoscalerPointer> policies = watches_.policies.List();
  metrics_.policies.Set(static_cast<double>(policies.size()));
  metrics_.conditions.Reset(reconcilers_.CountConditions());
  if (!metrics_.desired_replicas) {
    return;
  }
  std::map<std::vector<std::string>, double> desired;
  for (const cluster::AutoscalerPointer& policy : policies) {
    desired[{policy->metadata.namespace_, policy->metadata.name}] = policy->status.desired_replicas;
  }
  metrics_.desired_replicas->Reset(desired);
}

void Controller::Evaluate(const api::ObjectReference& autoscaler) {
  if (running_) {
    Hurry(autoscaler);
  }
}

void Controller::Hurry(const api::ObjectReference& autoscaler) {
  queue_.Add(autoscaler);
  writes_.Hurry(autoscaler);  // it is under way as long as its status waits
}

void Controller::OnPolicy(const runtime::Informer<api::Autoscaler>::Change& change) {
  if (!running_) {
    return;
  }
  const bool edited = change.before == nullptr || change.after == nullptr ||
                      change.before->metadata.generation != change.after->metadata.generation ||
                      !session::SameOwnAnnotations(change.before->metadata, change.after->metadata);
  if (!edited) {
    return;  // our own write of the status
  }
  Hurry({api::kPolicyKind, change.key.namespace_, change.key.name});
  if (change.before != nullptr) {
    EvaluateSharers(*change.before);
  }
  if (change.after != nullptr) {
    EvaluateSharers(*change.after);
  }
}

void Controller::OnHpa(const runtime::Informer<api::Autoscaler>::Change& change) {
  if (!running_) {
    return;
  }
  const bool both = change.before != nullptr && change.after != nullptr;
  if (!both || hpa::IsNews(*change.before, *change.after)) {
    Hurry({api::kHpaKind, change.key.namespace_, change.key.name});
  }
  if (both && cluster::SameTarget(*change.before, *change.after)) {
    return;
  }
  if (change.before != nullptr) {
    EvaluateSharers(*change.before);
  }
  if (change.after != nullptr) {
    EvaluateSharers(*change.after);
  }
}

void Controller::OnRescale(const runtime::Informer<cluster::RescaleEvent>::Change& change) {
  if (running_ && change.after != nullptr && !change.after->own) {
    queue_.Add({api::kHpaKind, change.after->hpa.namespace_, change.after->hpa.name});
  }
}

void Controller::OnPod(const ReadyPods::PodChange& change) {
  if (!running_) {
    return;
  }
  for (const ReadyPods::Due& due : ready_pods_.See(change)) {
    queue_.AddAfter(due.policy, due.after);
  }
}

void Controller::EvaluateSharers(const api::Autoscaler& autoscaler) {
  for (const cluster::AutoscalerPointer& policy : watches_.PoliciesOf(autoscaler)) {
    if (policy->metadata.uid != autoscaler.metadata.uid) {
      Hurry(policy->reference());
    }
  }
}

void Controller::Work() {
  while (const auto key = queue_.Get()) {
    const auto answer = TakeAnswer(*key);
    metrics_.active_workers.Add(1);
    Advance(*key, clock_.Steady(),
            [&] { return answer ? reconcilers_.Resume(*key, *answer) : reconcilers_.Begin(*key); });
    metrics_.active_workers.Add(-1);
    writes_.WaitForRoom();
  }
}

void Controller::Serve(const api::ObjectReference& key, process::SteadyTime began,
                       const session::Request& request) {
  const auto* fetch = std::get_if<session::FetchMetrics>(&request);
  if (fetch == nullptr) {
    writes_.Submit({key, began, request, process::ReadBoth(clock_)});
    if (queue_.IsAddedAgain(key)) {
      writes_.Hurry(key);
    }
    return;
  }
  reconcilers_.Fetch(*fetch, [this, key](session::MetricsAnswer answer) {
    {
      const std::lock_guard lock(mutex_);
      answers_.insert_or_assign(key, std::move(answer));
    }
    queue_.Resume(key);
  });
}

std::optional<session::MetricsAnswer> Controller::TakeAnswer(const api::ObjectReference& key) {
  const std::lock_guard lock(mutex_);
  const auto node = answers_.extract(key);
  return node ? std::optional(std::move(node.mapped())) : std::nullopt;
}

void Controller::WriteOut() {
  while (auto write = writes_.Take()) {
    Advance(write->of, write->began,
            [&] { return reconcilers_.Resume(write->of, CarryOut(*write)); });
    writes_.Done(*write);
  }
}

session::Answer Controller::CarryOut(WriteQueue::Write& write) {
  write.ended = LaneOutcome::kUnsent;
  if (writes_.sealed()) {
    return session::Refused(write.request, "the operator is stopping", clock_.Steady());
  }
  if (auto expired = write.Expired(process::ReadBoth(clock_))) {
    return *std::move(expired);
  }
  session::Answer answer = reconcilers_.CarryOut(write.request);
  write.ended = EndOf(answer);
  return answer;
}

// The results' names are controller-runtime's.
template <typename Phase>
void Controller::Advance(const api::ObjectReference& key, process::SteadyTime began, Phase phase) {
  try {
    const std::optional<session::Progress> progress = phase();
    if (!progress) {
      queue_.Remove(key);
      End(key, began, "success");
    } else if (const auto* request = std::get_if<session::Request>(&*progress)) {
      Serve(key, began, *request);
    } else {
      QueueNext(key, began, std::get<session::NextEvaluation>(*progress));
      queue_.Forget(key);
      End(key, began, "requeue_after");
    }
  } catch (const std::exception& problem) {
    // A defect, but it affects this autoscaler only, which is retried with increasing delays.
    log::Error(log::About{key.Print()}, "an evaluation ended with an exception",
               {{"autoscaler", api::PrintName(key)}, {"error", problem.what()}});
    metrics_.errors.Add();
    metrics_.panics.Add();
    queue_.AddRateLimited(key);
    End(key, began, "error");
  }
}

void Controller::QueueNext(const api::ObjectReference& key, process::SteadyTime began,
                           const session::NextEvaluation& next) {
  const std::chrono::nanoseconds usual =
      reconcilers_.NextRun(key, next.period, began) - clock_.Steady();
  if (next.sooner) {
    // Never without delay: clocks are not exact, and the release might not have come yet.
    std::chrono::nanoseconds sooner =
        std::max(std::chrono::nanoseconds(next.sooner->nanoseconds), kAtOnce);
    if (next.prospect == session::Prospect::kScaleIn) {
      sooner += kHeadStart;
    }
    if (sooner < usual) {
      queue_.AddAfter(key, sooner, UrgencyOf(next.prospect),
                      std::chrono::nanoseconds(next.period.nanoseconds));
    }
  }
  queue_.AddAfter(key, usual);
}

void Controller::End(const api::ObjectReference& key, process::SteadyTime began,
                     const char* result) {
  const std::chrono::duration<double> lasted = clock_.Steady() - began;
  metrics_.seconds.Observe(lasted.count());
  metrics_.reconciled.With({kControllerName, result}).Add();
  queue_.Done(key);
}

}  // namespace ballast::controllers
